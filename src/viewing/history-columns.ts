import { hash } from 'node:crypto'
import type { Db, Document } from 'mongodb'
import { type Rating, ratings } from '../../schemas/rating.js'
import { aggregateRaw } from '../database/read-all.js'
import { columnReader } from '../database/read-columns.js'
import { seenInVain } from '../recommendations/serving/seen.js'
import { newestFirst } from './lists.js'
import { isCompleted } from './progress.js'
import type { WatchlistDocument } from './watchlist.js'

/** Orders the pages of GET /history. The fields after `_id` let it cover counts by status and reads of whole histories. */
export const coveringIndex = {
  user_id: 1,
  updated_at: -1,
  _id: -1,
  content_id: 1,
  percentage: 1,
  time: 1,
  country: 1,
  plays: 1,
  previous_time: 1,
  previous_percentage: 1
} as const

/**
 * A user's history as columns, newest first. Reading the other fields too would take twice as long. Values are undefined in the rows of
 * other lists, which are read in the same operation (see `Row`). Columns may end before the last row.
 */
export interface HistoryColumns {
  content_ids: number[]
  times: (number | undefined)[]
  percentages: (number | undefined)[]
  plays: number[]
  /** In milliseconds. */
  updated: number[]
  /** The position before a brief start, if any. */
  previousTimes: (number | undefined)[]
  previousPercentages: (number | undefined)[]
}

/** What a user thinks of titles. */
export interface Opinions {
  hidden: number[]
  /** Newest first. `at` is in milliseconds. */
  ratings: { content_id: number; rating: Rating; at: number }[]
  /** Since when each title has been seen but not started, in milliseconds. */
  seen: Map<number, number>
}

/** What a user has completed at least once. */
export interface Completed {
  /** Tells one state of the history from another. */
  digest: string
  /** Decodes the content ids. */
  completed: () => number[]
}

interface Lists extends Opinions, Pick<Completed, 'completed'> {
  /** When each title was dismissed, in milliseconds. */
  dismissed: Map<number, number>
  /** The latest elements of the watchlist. */
  saved: WatchlistDocument[]
}

/** More elements make continue watching slower, not better. */
const mostForCards = 2000

/** The part of a whole history that continue watching looks at. */
export const latestOf = (history: HistoryColumns): HistoryColumns => ({
  content_ids: history.content_ids.slice(0, mostForCards),
  times: history.times.slice(0, mostForCards),
  percentages: history.percentages.slice(0, mostForCards),
  plays: history.plays.slice(0, mostForCards),
  previousTimes: history.previousTimes.slice(0, mostForCards),
  previousPercentages: history.previousPercentages.slice(0, mostForCards),
  updated: history.updated.slice(0, mostForCards)
})

const isDefined = <T>(value: T | undefined) => value !== undefined

const watchedBy = (user_id: number, content_ids?: number[]) => [
  { $match: { user_id, ...(content_ids && { content_id: { $in: content_ids } }) } },
  { $sort: { updated_at: -1, _id: -1 } }
]

const watched = {
  $project: { _id: 0, content_id: 1, time: 1, percentage: 1, plays: 1, previous_time: 1, previous_percentage: 1, updated_at: 1 }
}

/** A stage that adds rows of another list of the user, which saves an operation. */
const and = (coll: string, user_id: number, ...stages: Document[]) => ({
  $unionWith: { coll, pipeline: [{ $match: { user_id } }, ...stages] }
})
const andHidden = (user_id: number) => and('hidden', user_id, { $project: { _id: 0, hidden: '$content_id' } })
/** As numbers, which are read much faster than strings. */
const rating = { $indexOfArray: [ratings, '$rating'] }
const andRated = (user_id: number) =>
  and('ratings', user_id, { $sort: newestFirst }, { $project: { _id: 0, rated: '$content_id', rating, rated_at: '$created_at' } })
const andSeen = (user_id: number) => and('seen', user_id, ...seenInVain())
const andDismissed = (user_id: number) => and('dismissals', user_id, { $project: { _id: 0, dismissed: '$content_id', at: 1 } })
const andSaved = (user_id: number, count: number) =>
  and('watchlist', user_id, { $sort: newestFirst }, { $limit: count }, { $project: { _id: 0, saved: '$$ROOT' } })

const timesOf = (content_ids: (number | undefined)[], times: (number | undefined)[]) => {
  const timeOf = new Map<number, number>()
  content_ids.forEach((content_id, i) => {
    const time = times[i]
    if (content_id !== undefined && time !== undefined) timeOf.set(content_id, time)
  })
  return timeOf
}

const ratingsIn = (rated: (number | undefined)[], kinds: (number | undefined)[], times: (number | undefined)[]): Opinions['ratings'] =>
  rated.flatMap((content_id, i) => {
    const rating = ratings[kinds[i] as number] as Rating
    return content_id === undefined ? [] : { content_id, rating, at: times[i] as number }
  })

/** Each row is of the history or of one of the other lists, and has only the fields of that list. */
interface Row {
  content_id: number
  time: number
  percentage: number
  plays: number | null
  previous_time: number
  previous_percentage: number
  updated_at: number
  hidden: number
  rated: number
  rating: number
  rated_at: number
  seen: number
  seen_since: number
  dismissed: number
  at: number
  saved: WatchlistDocument
}

const readColumns = columnReader<Row>({
  updated_at: 'moment',
  content_id: 'value',
  percentage: 'value',
  time: 'value',
  plays: 'value',
  previous_time: 'value',
  previous_percentage: 'value',
  hidden: 'value',
  dismissed: 'value',
  at: 'moment',
  rated: 'value',
  rating: 'value',
  rated_at: 'moment',
  seen: 'value',
  seen_since: 'moment',
  saved: 'value'
})

/** Reads whole histories in one operation, from one index. Grouping the rows into columns in mongod would take twice as long. */
export const historyColumnsOf = (db: Db, completedAt: number) => {
  const rowsOf = (stages: Document[]) => aggregateRaw(db, { collectionName: 'history' }, stages, { hint: coveringIndex })

  const columnsIn = (rows: Uint8Array[]): HistoryColumns & Lists => {
    const columns = readColumns(rows)
    return {
      // Every element has both, because the index holds null for a missing field.
      content_ids: columns.content_id as number[],
      times: columns.time,
      percentages: columns.percentage,
      // An element at its end was completed at least once, whatever an import says.
      plays: columns.content_id.map((_, i) => Math.max(columns.plays[i] ?? 0, isCompleted(columns.percentage[i], completedAt) ? 1 : 0)),
      previousTimes: columns.previous_time,
      previousPercentages: columns.previous_percentage,
      updated: columns.updated_at as number[],
      hidden: columns.hidden.filter(isDefined),
      ratings: ratingsIn(columns.rated, columns.rating, columns.rated_at),
      seen: timesOf(columns.seen, columns.seen_since),
      dismissed: timesOf(columns.dismissed, columns.at),
      saved: columns.saved.filter(isDefined),
      completed: () => columns.content_id.filter((_, i) => (columns.plays[i] ?? 0) > 0) as number[]
    }
  }

  const digestOf = (rows: Uint8Array[]) => hash('sha1', Buffer.concat(rows), 'base64')

  const wholeWithOpinions = (user_id: number) => [...watchedBy(user_id), watched, andHidden(user_id), andRated(user_id), andSeen(user_id)]

  return {
    /** The whole history, and what the user thinks of titles. `read` decodes the rows, which is not needed if the digest is known. */
    wholeAndOpinions: async (user_id: number): Promise<{ digest: string; read: () => HistoryColumns & Opinions }> => {
      const rows = await rowsOf(wholeWithOpinions(user_id))
      return { digest: digestOf(rows), read: () => columnsIn(rows) }
    },

    completed: async (user_id: number): Promise<Completed> => {
      const rows = await rowsOf([{ $match: { user_id, plays: { $gte: 1 } } }, { $project: { _id: 0, content_id: 1 } }])
      return { digest: digestOf(rows), completed: () => readColumns(rows).content_id as number[] }
    },

    /**
     * The part of the history that continue watching looks at, what the user has hidden, and when each title was dismissed. If items are
     * given, only these count.
     */
    latestHiddenAndDismissed: async (
      user_id: number,
      content_ids?: number[]
    ): Promise<HistoryColumns & Pick<Lists, 'hidden' | 'dismissed'>> => {
      const latest = [...watchedBy(user_id, content_ids), { $limit: mostForCards }, watched]
      return columnsIn(await rowsOf([...latest, andHidden(user_id), andDismissed(user_id)]))
    },

    /** All that a start page needs to know about a user, except for the elements of its cards. */
    wholeAndLists: async (user_id: number, saved: number) => {
      const rows = await rowsOf([...wholeWithOpinions(user_id), andDismissed(user_id), andSaved(user_id, saved)])
      return { digest: digestOf(rows), ...columnsIn(rows) }
    }
  }
}
