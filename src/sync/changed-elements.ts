import type { Db, Document, ObjectId } from 'mongodb'
import { aggregateCommitted } from '../database/read-all.js'
import { seconds } from '../time.js'
import type { ListElement, ViewerList } from '../viewing/lists.js'
import { eachList } from '../viewing/viewer-lists.js'
import { type RemovalDocument, removalGrace } from './removals.js'

/** A collection in which changes are found, in the order of a date. */
interface Source {
  collection: ViewerList | 'removals'
  date: string
}

const lists = eachList.map(({ name }) => name)

/** For a caller who has no copy yet: everything. */
const firstSources: Source[] = eachList.map(({ name: collection, orderedBy: date }) => ({ collection, date }))
/**
 * A report with `observed_at` is found by its arrival. If its own date is new as well, it is found twice, because filtering would cost
 * more.
 */
const laterSources: Source[] = [
  ...eachList.flatMap(({ name: collection, changedBy }) => changedBy.map(date => ({ collection, date }))),
  { collection: 'removals', date: 'at' }
]
export const sourceCount = laterSources.length

/** A place in the order of all changes: by time, then by source, then by id. */
export interface ChangePosition {
  /** In milliseconds. */
  time: number
  /** -1 for the place before all changes of this time. */
  source: number
  id: ObjectId | number
  /** The content id, for a tombstone that names several. They are in ascending order, and others may be taken out meanwhile. */
  content_id: number
}

export type Change = ChangePosition &
  ({ from: ViewerList; element: ListElement } | { from: 'removals'; element: RemovalDocument & { content_id: number } })

/** How far readings overlap: a write becomes visible after its date, and a new primary may have a clock that is behind. */
export const changeOverlap = removalGrace + seconds(5)

/** A filter for what comes after the position, in a form that the index on the date and the id can return in order. */
const after = (user_id: number, { collection, date }: Source, source: number, { time, source: last, id }: ChangePosition) => {
  const at = new Date(time)
  if (source > last) return { user_id, [date]: { $gte: at } }
  const later = { [date]: { $gt: at } }
  if (source < last) return { user_id, ...later }
  // The last page may have ended in the middle of a tombstone, so that tombstone is read again.
  const next = { _id: collection === 'removals' ? { $gte: id } : { $gt: id } }
  // Not an `$or` of two ranges, for which MongoDB would read the whole list instead of a partial index.
  return { user_id, [date]: { $gte: at }, $or: [later, next] }
}

/** Leaves out tombstones that no longer name any content ids. */
const isTombstone = { content_ids: { $ne: [] } }

/** A row for each content id that a tombstone names. */
const eachContent = (source: number, { time, source: last, id, content_id }: ChangePosition): Document[] => [
  { $unwind: { path: '$content_ids', preserveNullAndEmptyArrays: true } },
  { $set: { content_id: { $ifNull: ['$content_ids', '$content_id'] } } },
  ...(source === last
    ? [{ $match: { $or: [{ at: { $ne: new Date(time) } }, { _id: { $ne: id } }, { content_id: { $gt: content_id } }] } }]
    : [])
]

const pipelineOf = (user_id: number, from: Source, source: number, position: ChangePosition, count: number): Document[] => {
  const isRemovals = from.collection === 'removals'
  return [
    { $match: { ...after(user_id, from, source, position), ...(isRemovals && isTombstone) } },
    { $sort: { [from.date]: 1, _id: 1 } },
    // One more, because the last page may have had all content ids of the first tombstone.
    ...(isRemovals ? [{ $limit: count + 1 }, ...eachContent(source, position)] : []),
    { $limit: count },
    { $set: { source } }
  ]
}

interface Row extends Document {
  source: number
}

const changeOf = (row: Row, { collection, date }: Source) =>
  ({
    time: row[date].getTime(),
    source: row.source,
    id: row._id,
    content_id: row.content_id,
    from: collection,
    element: row
  }) as unknown as Change

const byPlace = (a: Change, b: Change) => a.time - b.time || a.source - b.source

/** Reads what has changed in the lists of a viewer. Apps keep a copy of it, so nothing is returned that could still be rolled back. */
export const changesOf = (db: Db) => {
  const collection = (collectionName: string) => ({ collectionName })
  return {
    /** Whether nothing has changed since the position, at half the cost of reading changes. */
    isQuiet: async (user_id: number, position: ChangePosition) => {
      const newIn = (from: Source, source: number): Document[] => [{ $match: after(user_id, from, source, position) }, { $limit: 1 }]
      const [first, ...others] = laterSources as [Source, ...Source[]]
      const unions = others.map((from, i) => ({ $unionWith: { coll: from.collection, pipeline: newIn(from, i + 1) } }))
      const { rows } = await aggregateCommitted(db, collection(first.collection), [...newIn(first, 0), ...unions])
      return rows.length === 0
    },

    /** The first changes after the position, at most `count`. `asOf` is the time of the state that was read. */
    after: async (user_id: number, position: ChangePosition, count: number, { isFirst }: { isFirst: boolean }) => {
      const asked = isFirst ? firstSources : laterSources
      const pipeline = [
        { $match: { _id: user_id } },
        { $project: { _id: 0, now: '$$NOW' } },
        ...asked.map((from, source) => ({
          $unionWith: { coll: from.collection, pipeline: pipelineOf(user_id, from, source, position, count) }
        }))
      ]
      const { rows, committedAt } = await aggregateCommitted<Row | { now: Date }>(db, collection('users'), pipeline)
      // The time of the database is in the row of the user, who may have been removed by hand.
      let now = Date.now()
      const all: Change[] = []
      for (const row of rows) {
        if ('source' in row) all.push(changeOf(row, asked[row.source] as Source))
        else now = row.now.getTime()
      }
      // Dates in the future were written by hand.
      const changes = all.filter(({ time }) => time <= now)
      return { asOf: Math.min(now, committedAt), changes: changes.sort(byPlace).slice(0, count) }
    },

    /** Which of the given content ids are in each list. */
    present: async (user_id: number, contents: Record<ViewerList, Set<number>>) => {
      const asked = lists.filter(list => contents[list].size > 0)
      const [first, ...others] = asked.map(list => ({
        list,
        pipeline: [
          { $match: { user_id, content_id: { $in: [...contents[list]] } } },
          { $project: { _id: 0, list: { $literal: list }, content_id: 1 } }
        ]
      }))
      if (!first) return []
      const pipeline = [...first.pipeline, ...others.map(({ list, pipeline }) => ({ $unionWith: { coll: list, pipeline } }))]
      return (await aggregateCommitted<{ list: ViewerList; content_id: number }>(db, collection(first.list), pipeline)).rows
    }
  }
}
