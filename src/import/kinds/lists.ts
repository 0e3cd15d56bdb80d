import type { Collection, Document, Filter, ObjectId } from 'mongodb'
import type { HiddenRecord, PreferencesRecord, RatingRecord, WatchlistRecord } from '../../../schemas/import.js'
import { topOf } from '../../catalogue/tree.js'
import { counterOf } from '../../database/counters.js'
import { Table } from '../../table.js'
import { anyTitle, arrivalIfNew, ifNew, notAfterNow, orElse } from '../../viewing/lists.js'
import type { WatchlistDocument } from '../../viewing/watchlist.js'
import { type Entry, type ImportRun, type Kind, momentOf, type Operation, type ReportFault } from '../kind.js'
import type { Replacements } from '../replacements.js'
import { storedParents } from './contents.js'

// The lists of viewers, each with one element for a user and a content.

export interface Pair {
  user_id: number
  content_id: number
}

interface Reference {
  user_id: number
  content_id: number | null
}

export const watchlist = (run: ImportRun, replacements: Replacements): Kind<WatchlistRecord> => {
  const collection = run.db.collection<WatchlistDocument>('watchlist')
  const counter = counterOf(run.db, 'watchlist')
  const checkIds = uniqueIds(run, {
    collection: 'watchlist',
    owners: new Table(1, 2),
    field: 'id',
    idOf: ({ id }: WatchlistRecord) => id,
    keyOf: id => [id]
  })
  const newest = new Table(2, 1)
  const startedAt = new Date()
  let highest = 0

  const createdAt = ({ created_at }: WatchlistRecord) => momentOf(created_at) ?? startedAt

  /** If a viewer adds the content in the meantime, that element stays as it is. */
  const added = (record: WatchlistRecord, _id: number): Operation => {
    const created_at = createdAt(record)
    const updated_at = momentOf(record.updated_at) ?? created_at
    return insertion(record, {
      _id: orElse('_id', _id),
      created_at: orElse('created_at', notAfterNow(created_at)),
      updated_at: orElse('updated_at', notAfterNow(updated_at))
    })
  }

  return {
    collection: 'watchlist',

    async check(entries, report) {
      await checkReferences(run, replacements, entries, report)
      for (const { record } of entries) {
        const { id = 0, user_id, content_id } = record
        highest = Math.max(highest, id)
        const at = createdAt(record).getTime()
        if (!newest.add([user_id, content_id], at) && at > (newest.get(0, user_id, content_id) as number))
          newest.set(0, at, user_id, content_id)
      }
      await checkIds(entries, report)
    },

    begin: async () => highest > 0 && counter.moveTo(highest),

    async operations(records) {
      await replacements.apply(records)
      const stored = await storedPairs(collection, records)
      const missing = new Map<string, WatchlistRecord>()
      for (const record of records) {
        const isNewest = createdAt(record).getTime() === newest.get(0, record.user_id, record.content_id)
        if (isNewest && !stored.has(pairOf(record))) missing.set(pairOf(record), record)
      }
      const withoutId = [...missing.values()].filter(({ id }) => id === undefined).length
      let next = withoutId === 0 ? 0 : await counter.nextBlock(withoutId)
      return [...missing.values()].map(record => added(record, record.id ?? next++))
    }
  }
}

/** A title that is already hidden keeps its `created_at`, as with a repeated PUT. */
export const hidden = (run: ImportRun, replacements: Replacements): Kind<HiddenRecord> => {
  const startedAt = new Date()
  return ofTitles('hidden', run, replacements, ({ created_at }, pair) =>
    insertion(pair, { created_at: ifNew('created_at', notAfterNow(momentOf(created_at) ?? startedAt)) })
  )
}

export const ratings = (run: ImportRun, replacements: Replacements): Kind<RatingRecord> => {
  const fieldsOf = newestCounts('created_at')
  return ofTitles('ratings', run, replacements, ({ rating, created_at }, pair) =>
    insertion(pair, fieldsOf(momentOf(created_at), { rating }))
  )
}

/** A record without a value says nothing. */
export const preferences = (run: ImportRun, replacements: Replacements): Kind<PreferencesRecord> => {
  const fieldsOf = newestCounts('updated_at')
  return ofTitles('preferences', run, replacements, ({ audio = null, subtitles = null, updated_at }, pair) =>
    audio === null && subtitles === null ? [] : insertion(pair, fieldsOf(momentOf(updated_at), { audio, subtitles }))
  )
}

/** A list with one element for each title: what is said of an episode counts for its show. */
const ofTitles = <R extends Reference>(
  collection: string,
  run: ImportRun,
  replacements: Replacements,
  insert: (record: R, pair: Pair) => Operation | []
): Kind<R> => ({
  collection,

  check: (entries, report) => checkReferences(run, replacements, entries, report),

  async operations(records) {
    await replacements.apply(records)
    const titleOf = await titlesOf(run, records)
    return records.flatMap(record => {
      const { user_id, content_id } = record
      return insert(record, { user_id, content_id: content_id === null ? anyTitle : titleOf(content_id) })
    })
  }
})

/** Reports elements whose user or content does not exist. Lets earlier ids of contents lead. */
export const checkReferences = async ({ ids }: ImportRun, replacements: Replacements, entries: Entry<Reference>[], report: ReportFault) => {
  await replacements.apply(entries.map(({ record }) => record))
  const users = await ids.users.missing(entries.map(({ record }) => record.user_id))
  const contents = await ids.contents.missing(entries.flatMap(({ record }) => record.content_id ?? []))
  if (users.size === 0 && contents.size === 0) return
  for (const { record, place } of entries) {
    if (users.has(record.user_id)) report(place, 'user_id', `there is no user ${record.user_id}`)
    const { content_id } = record
    if (content_id !== null && contents.has(content_id)) report(place, 'content_id', `there is no content ${content_id}`)
  }
}

interface IdOptions<R, I> {
  collection: string
  /** For the ids of the run, each with the user and content of its first record. */
  owners: Table
  field: string
  idOf: (record: R) => I | undefined
  /** The id as the key of a table. */
  keyOf: (id: I) => readonly [number, number?]
}

/** Returns a function that reports ids which another element has, in the run or in the database. */
export const uniqueIds = <R extends Pair, I extends number | ObjectId>(
  { db }: ImportRun,
  { collection, owners, field, idOf, keyOf }: IdOptions<R, I>
) => {
  const storedOwners = async (ids: I[]) => {
    if (ids.length === 0) return new Map<string, string>()
    const elements = db.collection<Pair & { _id: I }>(collection)
    const filter = { _id: { $in: ids } } as Filter<Pair & { _id: I }>
    const found = await elements.find(filter, { projection: pairOnly }).toArray()
    return new Map(found.map(element => [String(element._id), pairOf(element)]))
  }
  return async (entries: Entry<R>[], report: ReportFault) => {
    const stored = await storedOwners(entries.flatMap(({ record }) => idOf(record) ?? []))
    for (const { record, place } of entries) {
      const id = idOf(record)
      if (id === undefined) continue
      const key = keyOf(id)
      owners.add(key, record.user_id, record.content_id)
      const first = { user_id: owners.get(0, ...key) as number, content_id: owners.get(1, ...key) as number }
      const owner = pairOf(record)
      if (pairOf(first) !== owner || (stored.get(String(id)) ?? owner) !== owner) report(place, field, 'belongs to another element')
    }
  }
}

const pairOnly = { user_id: 1, content_id: 1 }

export const pairOf = ({ user_id, content_id }: Pair) => `${user_id} ${content_id}`

/** Adds an element with the fields. They say what happens to one that is there. */
const insertion = ({ user_id, content_id }: Pair, fields: Document): Operation => ({
  updateOne: { filter: { user_id, content_id }, update: [{ $set: { arrived_at: arrivalIfNew, ...fields } }], upsert: true }
})

/**
 * Fields of elements of which the newest line counts, whatever the order of the lines. A line without a time, or with one in the future,
 * changes no element that is there, or a second run would change it again.
 */
const newestCounts = (date: 'created_at' | 'updated_at') => {
  const startedAt = new Date()
  return (at: Date | undefined, values: Document) => {
    const isDated = at !== undefined && at <= startedAt
    const isNewer = isDated ? { $gt: [at, `$${date}`] } : { $eq: [{ $type: '$_id' }, 'missing'] }
    const fields = { ...values, [date]: notAfterNow(isDated ? at : startedAt), arrived_at: '$$NOW' }
    return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, { $cond: [isNewer, value, `$${field}`] }]))
  }
}

const storedPairs = async (collection: Collection<WatchlistDocument>, records: WatchlistRecord[]) => {
  const filter = {
    user_id: { $in: [...new Set(records.map(({ user_id }) => user_id))] },
    content_id: { $in: [...new Set(records.map(({ content_id }) => content_id))] }
  }
  const found = collection.find<WatchlistDocument>(filter, { projection: { _id: 0, ...pairOnly } })
  const pairs = new Set<string>()
  for await (const pair of found) pairs.add(pairOf(pair))
  return pairs
}

/** Finds the title of each content. The contents of the run are in the database by now. */
const titlesOf = async ({ db }: ImportRun, records: Reference[]) => {
  const ids = records.flatMap(({ content_id }) => content_id ?? [])
  const parents = await storedParents(db, ids)
  const parentOf = (id: number) => {
    const parent = parents.get(0, id)
    return parent && parents.has(parent) ? parent : undefined
  }
  return (id: number) => topOf(id, parentOf)
}
