import type { Db, Document } from 'mongodb'
import type { PageQuery } from '../../schemas/page.js'
import type { Play } from '../../schemas/plays.js'
import type { IsShown } from '../catalogue/audience.js'
import { aggregateAll, aggregateRaw } from '../database/read-all.js'
import { columnReader } from '../database/read-columns.js'
import { timestamp } from '../time.js'
import type { HistoryDocument } from './history.js'
import { contentsToLeaveOut } from './lists.js'
import { latestPlayIndex, mostPlayed, severalPlays } from './played.js'

/** One play at a known time. */
export interface PlayRow {
  content_id: number
  at: Date
}

export const toPlay = ({ content_id, at }: PlayRow): Omit<Play, 'content'> => ({ content_id, at: timestamp(at) })

interface Range {
  from?: Date | undefined
  /** Exclusive. */
  to?: Date | undefined
}

interface PlaysFilter extends Range {
  content_id?: number[] | undefined
}

/** Elements whose latest play is in the range. The latest play comes first in the object, and so decides how objects compare. */
const latestIn = (user_id: number, { from, to }: Range) => ({
  user_id,
  played: { $gte: { at: from ? [from] : [] }, ...(to && { $lt: { at: [to] } }) }
})

/** Moments of a list, as an expression. */
const inRange = (input: Document | string, { from, to }: Range): Document => ({
  $filter: { input, cond: { $and: [...(from ? [{ $gte: ['$$this', from] }] : []), ...(to ? [{ $lt: ['$$this', to] }] : [])] } }
})

const earlierPlays = { $slice: ['$played.at', 1, mostPlayed] }

/** The whole object, because MongoDB would have to read the elements themselves for a part of it. */
const covered = { $project: { _id: 0, content_id: 1, played: 1 } }

/** A row for each of these plays that is in the range. */
const eachPlay = (moments: Document | string, range: Range): Document[] => [
  covered,
  { $project: { content_id: 1, at: inRange(moments, range) } },
  { $unwind: '$at' }
]

const readRows = columnReader<Record<keyof PlayRow, number>>({ content_id: 'value', at: 'moment' })

/** Reads when a user completed items, from the history. Nearly all elements have a single play, so only the others are unwound. */
export const playsOf = (db: Db) => {
  const history = db.collection<HistoryDocument>('history')
  const and = (...pipeline: Document[]) => ({ $unionWith: { coll: 'history', pipeline } })
  return {
    /** One page, newest first, and the total. With `isShown`, another operation first reads which contents to leave out. */
    list: async (user_id: number, { content_id, ...range }: PlaysFilter, { page, perPage }: PageQuery, isShown?: IsShown) => {
      const named = content_id && { $in: content_id }
      const all = { ...latestIn(user_id, { from: range.from }), ...(named && { content_id: named }) }
      const leftOut = isShown && (await contentsToLeaveOut(db, history, all, isShown))
      const shown = { ...named, ...(leftOut && { $nin: leftOut }) }
      const elements = (filter: Document) => ({ $match: { ...filter, ...((named || leftOut) && { content_id: shown }) } })
      const latest = latestIn(user_id, range)
      const several = { user_id, ...severalPlays }
      const earlier = range.from || range.to ? { $size: inRange(earlierPlays, range) } : { $subtract: ['$played_count', 1] }
      const found = await aggregateAll<PlayRow | { total: number }>(db, history, [
        // The elements with the latest plays are enough for a page, because each has at least one play in the range.
        elements(latest),
        { $sort: { played: -1, content_id: 1 } },
        { $limit: page * perPage },
        ...eachPlay('$played.at', range),
        ...(range.to ? [and(elements({ ...several, ...latestIn(user_id, { from: range.to }) }), ...eachPlay(earlierPlays, range))] : []),
        { $sort: { at: -1, content_id: 1 } },
        { $skip: (page - 1) * perPage },
        { $limit: perPage },
        and(elements(latest), { $count: 'total' }),
        and(elements(several), { $group: { _id: null, total: { $sum: earlier } } })
      ])
      const totals = found.flatMap(row => ('total' in row ? row.total : []))
      return { plays: found.filter(row => 'at' in row), total: totals.reduce((sum, one) => sum + one, 0) }
    },

    /** All plays from one moment to another. `read` decodes them. */
    between: async (user_id: number, range: Required<Range>) => {
      const stages = [
        { $match: latestIn(user_id, range) },
        covered,
        { $project: { content_id: 1, at: { $first: '$played.at' } } },
        and({ $match: { user_id, ...severalPlays } }, ...eachPlay(earlierPlays, range))
      ]
      const rows = await aggregateRaw(db, history, stages, { hint: latestPlayIndex })
      return {
        read: () => {
          const { content_id, at } = readRows(rows)
          // Every row has both.
          return { content_ids: content_id as number[], moments: at as number[] }
        }
      }
    }
  }
}
