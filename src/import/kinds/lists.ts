import { type Collection, type Db, type Document, type Filter, ObjectId } from 'mongodb'
import type { HiddenRecord, PreferencesRecord, RatingRecord, WatchlistRecord } from '../../../schemas/import.js'
import { topOf } from '../../catalogue/tree.js'
import { Table } from '../../table.js'
import { momentOf } from '../../time.js'
import { anyTitle, oneForEachContent } from '../../viewing/lists.js'
import { type Entry, type ImportRun, idsFor, type Kind, type Operation, type ReportFault } from '../kind.js'
import type { Replacements } from '../replacements.js'
import { parentsOf } from './contents.js'

// The lists of viewers, each with one element per user and item.

export interface Pair {
  user_id: number
  content_id: number
}

interface Reference {
  user_id: number
  content_id: number | null
}

export const watchlist = (run: ImportRun, replacements: Replacements): Kind<WatchlistRecord> => {
  const dates = new ElementDates(run, replacements, { collection: 'watchlist', date: 'created_at' })
  const counter = idsFor(run, 'watchlist')
  const checkIds = uniqueIds(run, replacements, {
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

  const added = (record: WatchlistRecord, _id: number, now: Date) => {
    const created_at = createdAt(record)
    const updated_at = momentOf(record.updated_at) ?? created_at
    return insertion({ _id, ...pairIn(record), created_at: earlier(created_at, now), updated_at: earlier(updated_at, now) }, now)
  }

  return {
    collection: 'watchlist',
    arrives: true,

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
      const [now, stored] = await Promise.all([timeOf(run.db), dates.of(records)])
      const missing = new Map<string, WatchlistRecord>()
      for (const record of records) {
        // The id differs from that of the check if another import has replaced the item meanwhile.
        const isOlder = createdAt(record).getTime() < (newest.get(0, record.user_id, record.content_id) ?? 0)
        if (isOlder || stored.has(pairOf(record))) continue
        missing.set(pairOf(record), record)
        dates.add(record, createdAt(record))
      }
      const withoutId = [...missing.values()].filter(({ id }) => id === undefined).length
      let next = withoutId === 0 ? 0 : await counter.nextBlock(withoutId)
      return [...missing.values()].map(record => added(record, record.id ?? next++, now))
    }
  }
}

/** A title that is already hidden keeps its `created_at`, as with a repeated PUT. */
export const hidden = (run: ImportRun, replacements: Replacements) =>
  ofTitles<HiddenRecord>(run, replacements, {
    collection: 'hidden',
    date: 'created_at',
    newestCounts: false,
    said: ({ created_at }) => ({ at: momentOf(created_at), values: {} })
  })

export const ratings = (run: ImportRun, replacements: Replacements) =>
  ofTitles<RatingRecord>(run, replacements, {
    collection: 'ratings',
    date: 'created_at',
    newestCounts: true,
    said: ({ rating, created_at }) => ({ at: momentOf(created_at), values: { rating } })
  })

export const preferences = (run: ImportRun, replacements: Replacements) =>
  ofTitles<PreferencesRecord>(run, replacements, {
    collection: 'preferences',
    date: 'updated_at',
    newestCounts: true,
    said: ({ audio = null, subtitles = null, updated_at }) =>
      audio === null && subtitles === null ? undefined : { at: momentOf(updated_at), values: { audio, subtitles } }
  })

interface TitleList<R> {
  collection: string
  /** The field that decides which line is the newest, whatever the order of the lines. */
  date: 'created_at' | 'updated_at'
  /** Whether the newest line changes an existing element. */
  newestCounts: boolean
  /** What the record sets, or undefined for nothing. */
  said: (record: R) => { at: Date | undefined; values: Document } | undefined
}

/** A list with one element per title. A record of an episode counts for its show. */
const ofTitles = <R extends Reference>(
  run: ImportRun,
  replacements: Replacements,
  { collection, date, newestCounts, said }: TitleList<R>
): Kind<R> => {
  const dates = new ElementDates(run, replacements, { collection, date })
  const startedAt = new Date()

  return {
    collection,
    arrives: true,

    check: (entries, report) => checkReferences(run, replacements, entries, report),

    async operations(records) {
      await replacements.apply(records)
      const titleOf = await titlesOf(run, records)
      const lines = records.flatMap(record => {
        const { user_id, content_id } = record
        const line = said(record)
        return line ? { ...line, user_id, content_id: content_id === null ? anyTitle : titleOf(content_id) } : []
      })
      const [now, stored] = await Promise.all([timeOf(run.db), dates.of(lines)])
      const known = new Map([...stored].map(([pair, { at }]) => [pair, at]))
      const operations = new Map<string, Operation>()
      for (const { at, values, ...pair } of lines) {
        const key = pairOf(pair)
        const before = known.get(key)
        // A line without a time, or with one in the future, changes no existing element, because a second run would change it again.
        const isDated = at !== undefined && at <= startedAt
        const isCounted = before === undefined || (newestCounts && isDated && at > before)
        if (!isCounted) continue
        const moment = isDated ? at : startedAt
        const fields = { ...values, [date]: earlier(moment, now) }
        const there = stored.get(key)
        const operation = there
          ? change({ user_id: pair.user_id, content_id: there.content_id, [date]: there.at }, fields)
          : insertion({ _id: new ObjectId(), ...pair, ...fields }, now)
        operations.set(key, operation)
        known.set(key, moment)
        dates.add(pair, moment)
      }
      return [...operations.values()]
    }
  }
}

/** The time by the clock of the database, by which apps find new elements. */
export const timeOf = async (db: Db): Promise<Date> => (await db.command({ hello: 1 })).localTime

export const earlier = (one: Date, other: Date) => new Date(Math.min(one.getTime(), other.getTime()))

const pairIn = ({ user_id, content_id }: Pair) => ({ user_id, content_id })

const insertion = (fields: Document, arrived_at: Date): Operation => ({ insertOne: { document: { ...fields, arrived_at } } })

/** Changes an element if it is still as it was read. */
const change = (read: Document, fields: Document): Operation => ({
  updateOne: { filter: read, update: { $set: fields, $currentDate: { arrived_at: true } } }
})

/** Reports elements whose user or content does not exist. Replaces earlier content ids by the current ones. */
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
  /** A table for the ids of the run, each with the user and content of its first record. */
  owners: Table
  field: string
  idOf: (record: R) => I | undefined
  /** The id as the key of a table. */
  keyOf: (id: I) => readonly [number, number?]
}

/** Returns a function that reports ids which another element has, in the run or in the database. */
export const uniqueIds = <R extends Pair, I extends number | ObjectId>(
  { db }: ImportRun,
  { currentId }: Replacements,
  { collection, owners, field, idOf, keyOf }: IdOptions<R, I>
) => {
  const storedOwners = async (ids: I[]) => {
    if (ids.length === 0) return new Map<string, string>()
    const elements = db.collection<Pair & { _id: I }>(collection)
    const filter = { _id: { $in: ids } } as Filter<Pair & { _id: I }>
    const found = await elements.find(filter, { projection: pairOnly }).toArray()
    // An element may still be stored under an earlier id of its item.
    return new Map(found.map(({ _id, user_id, content_id }) => [String(_id), pairOf({ user_id, content_id: currentId(content_id) })]))
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

interface DatedElement {
  /** May be an earlier id, under which the element is still stored. */
  content_id: number
  at: Date
}

/** The dates of stored elements, by user and current content id. In a check, as if the previous lines had been written. */
class ElementDates {
  private readonly made = new Table(2, 1)

  constructor(
    private readonly run: ImportRun,
    private readonly replacements: Replacements,
    private readonly list: { collection: string; date: 'created_at' | 'updated_at' }
  ) {}

  async of(pairs: Pair[]) {
    const { collection, date } = this.list
    const dates = new Map<string, DatedElement>()
    const found = await storedElements<Pair & { created_at: Date; updated_at: Date }>(this.run, this.replacements, collection, pairs)
    for (const [pair, element] of found) dates.set(pair, { content_id: element.content_id, at: element[date] })
    for (const pair of pairs) {
      const at = this.made.get(0, pair.user_id, pair.content_id)
      if (at !== undefined) dates.set(pairOf(pair), { content_id: pair.content_id, at: new Date(at) })
    }
    return dates
  }

  add({ user_id, content_id }: Pair, at: Date) {
    if (!this.run.isCheck) return
    this.made.add([user_id, content_id])
    this.made.set(0, at.getTime(), user_id, content_id)
  }
}

/** By user and current content id. An element may still be stored under an earlier id. Of two, the one under the current id counts. */
export const storedElements = async <E extends Pair>(
  { db, isCheck }: ImportRun,
  { allIdsOf, currentId }: Replacements,
  collection: string,
  pairs: Pair[]
) => {
  const stored = new Map<string, E>()
  if (pairs.length === 0) return stored
  const contents = new Map<number, number[]>()
  for (const { user_id, content_id } of pairs) {
    const known = contents.get(user_id)
    if (known) known.push(...allIdsOf(content_id))
    else contents.set(user_id, allIdsOf(content_id))
  }
  // One alternative per user, because two lists of ids would make the database look for every item of every user.
  const filter = { $or: [...contents].map(([user_id, ids]) => ({ user_id, content_id: { $in: ids } })) } as Filter<E>
  // The indexes are created after the check.
  const index = isCheck ? {} : { hint: oneForEachContent.key }
  const elements: Collection<E> = db.collection(collection)
  for await (const element of elements.find<E>(filter, { ...index, batchSize: pairs.length + 1 })) {
    const pair = pairOf({ user_id: element.user_id, content_id: currentId(element.content_id) })
    if (!stored.has(pair) || pair === pairOf(element)) stored.set(pair, element)
  }
  return stored
}

/** Finds the title of each item. */
const titlesOf = async (run: ImportRun, records: Reference[]) => {
  const parentOf = await parentsOf(
    run,
    records.flatMap(({ content_id }) => content_id ?? [])
  )
  return (id: number) => topOf(id, parentOf)
}
