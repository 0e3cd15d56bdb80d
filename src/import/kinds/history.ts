import { isDeepStrictEqual } from 'node:util'
import { type Document, ObjectId } from 'mongodb'
import type { HistoryRecord } from '../../../schemas/import.js'
import { type ContentDocument, lengthsOf } from '../../catalogue/content-documents.js'
import { imported } from '../../database/events.js'
import { Table } from '../../table.js'
import { moment } from '../../time.js'
import type { HistoryDocument } from '../../viewing/history.js'
import { type Played, playedOf } from '../../viewing/played.js'
import { isCompleted, percentageOf, progressOf } from '../../viewing/progress.js'
import { type Entry, type ImportRun, type Kind, momentOrNull, type Operation, type ReportFault } from '../kind.js'
import type { Replacements } from '../replacements.js'
import { checkReferences, earlier, pairOf, storedElements, timeOf, uniqueIds } from './lists.js'

export const history = (run: ImportRun, replacements: Replacements): Kind<HistoryRecord> => {
  const checkIds = uniqueIds(run, replacements, {
    collection: 'history',
    owners: new Table(2, 2),
    field: '_id',
    idOf: ({ _id }: HistoryRecord) => (_id === undefined ? undefined : new ObjectId(_id)),
    keyOf: id => halves(id.toHexString())
  })
  const lines = new Lines()
  const lengths = new Lengths(run)
  const startedAt = new Date()

  return {
    collection: 'history',
    arrives: true,

    async check(entries, report) {
      await checkReferences(run, replacements, entries, report)
      refuseFuturePlays(entries, report)
      for (const { record, place } of entries)
        lines.add([record.user_id, record.content_id], observedAt(record, startedAt).getTime(), place)
      await checkIds(entries, report)
    },

    isSuperseded: place => lines.isSuperseded(place),

    async operations(records) {
      await replacements.apply(records)
      const [now, stored] = await Promise.all([
        timeOf(run.db),
        storedElements<HistoryDocument>(run, replacements, 'history', records),
        lengths.load(records)
      ])
      const moments = { now, startedAt, completedAt: run.completedAt }
      const after = new Map(stored)
      for (const record of records) {
        const pair = pairOf(record)
        after.set(pair, elementAfter(lengths.complete(record, run.completedAt), after.get(pair), moments))
      }
      return [...after].flatMap(([pair, element]) => writeOf(element, stored.get(pair), now))
    }
  }
}

const refuseFuturePlays = (entries: Entry<HistoryRecord>[], report: ReportFault) => {
  const now = Date.now()
  for (const { record, place } of entries)
    if (momentsIn(record)?.some(at => at.getTime() > now)) report(place, 'played_at', 'must not be in the future')
}

const momentsIn = ({ played_at }: HistoryRecord) => played_at?.map(text => moment(text) as Date).sort((a, b) => Number(b) - Number(a))

/** An id of 24 hexadecimal characters as two numbers. */
const halves = (id: string) => [Number.parseInt(id.slice(0, 12), 16), Number.parseInt(id.slice(12), 16)] as const

/** Undefined if the string is missing, or the moment is in the future. */
const pastMoment = (text: string | null | undefined, startedAt: Date) => {
  const moment = momentOrNull(text)
  return moment && moment < startedAt ? moment : undefined
}

/** `updated_at`, or the start of the run. */
const observedAt = ({ updated_at }: HistoryRecord, startedAt: Date) => pastMoment(updated_at, startedAt) ?? startedAt

interface Completions extends Played {
  plays?: number | undefined
  watched_at?: Date | undefined
}

/**
 * The completions to store. An existing element keeps whatever the record does not say. Play times imply the number of plays and the last
 * one, if the record does not state these. Without play times, only the time of the last play is known.
 */
const completionsOf = (
  record: HistoryRecord,
  stored: HistoryDocument | undefined,
  at: Date,
  { startedAt, completedAt }: Moments
): Completions => {
  const moments = momentsIn(record)
  const plays = record.plays ?? (moments?.length || undefined)
  if (plays === 0) return { plays, watched_at: undefined, ...playedOf(moments ?? []) }
  const completed = (least: number, latest: Date) => ({ plays: plays ?? least, watched_at: latest, ...playedOf(moments ?? [latest]) })
  const watched_at = pastMoment(record.watched_at, startedAt) ?? moments?.[0]
  if (plays !== undefined || record.watched_at) return completed(Math.max(stored?.plays ?? 0, 1), watched_at ?? stored?.watched_at ?? at)
  if (stored) return { plays: stored.plays, watched_at: stored.watched_at, ...(!moments && playedIn(stored)) }
  return isCompleted(record.percentage, completedAt) ? completed(1, at) : {}
}

const withoutMoments = ({ played_at: _, ...record }: HistoryRecord): HistoryRecord => record

const playedIn = ({ played, played_count }: HistoryDocument) => ({ played, played_count })

/** The position before a brief start. It belongs to the current position, so a record without one removes it. */
const previousFrom = ({ previous }: HistoryRecord) => ({
  previous_time: previous?.time,
  previous_percentage: previous?.percentage,
  previous_observed_at: previous ? (moment(previous.observed_at) as Date) : undefined
})

interface Moments {
  /** By the clock of the database, which may be behind. */
  now: Date
  startedAt: Date
  completedAt: number
}

/** The element that results from a line and an existing element. Returns the same object if the line is older, or says nothing new. */
const elementAfter = (record: HistoryRecord, element: HistoryDocument | undefined, moments: Moments): HistoryDocument => {
  const { now, startedAt } = moments
  const observed = observedAt(record, startedAt)
  if (element && observed < element.updated_at) return element
  const { _id, user_id, content_id, time = 0, percentage = 0 } = record
  const updated_at = earlier(observed, now)
  const isNewer = !element || observed > element.updated_at
  const given = {
    time,
    percentage,
    played: undefined,
    played_count: undefined,
    ...completionsOf(isNewer ? record : withoutMoments(record), element, updated_at, moments),
    ...(!isNewer && playedIn(element)),
    ...previousFrom(record),
    created_at: pastMoment(record.created_at, startedAt) ?? element?.created_at ?? updated_at
  }
  if (!element) return { _id: new ObjectId(_id), user_id, content_id, ...given, updated_at } as HistoryDocument
  // A line without a date would otherwise change its element in every run.
  const said = observed < startedAt ? { ...given, updated_at } : given
  if (Object.entries(said).every(([field, value]) => isSame(value, element, field))) return element
  return { ...element, ...given, updated_at } as HistoryDocument
}

/**
 * The write that turns the element that was read into a new one. If a viewer has changed the element since, it has no effect, and the lines
 * are processed again.
 */
const writeOf = (element: HistoryDocument, stored: HistoryDocument | undefined, now: Date): Operation[] => {
  if (element === stored) return []
  const arrived = { ...element, arrived_at: now }
  if (!stored) return [{ insertOne: { document: { ...withoutUndefined(arrived), event: imported } } }]
  const { _id, user_id, updated_at, arrived_at = null, plays = null } = stored
  const fields = Object.entries(arrived).filter(([field, value]) => !isSame(value, stored, field))
  const $set = withoutUndefined(Object.fromEntries(fields))
  const $unset = Object.fromEntries(fields.flatMap(([field, value]) => (value === undefined ? [[field, '']] : [])))
  return [{ updateOne: { filter: { _id, user_id, updated_at, arrived_at, plays }, update: { $set, $unset } } }]
}

const withoutUndefined = (fields: object) => {
  const document: Document = {}
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) document[field] = value
  return document
}

const isSame = (value: unknown, element: HistoryDocument, field: string) =>
  isDeepStrictEqual(value, element[field as keyof HistoryDocument])

/** The durations of contents, and when their credits begin, for lines that only have a time. */
class Lengths {
  private readonly known = new Map<number, ReturnType<typeof lengthsOf>>()

  constructor(private readonly run: ImportRun) {}

  async load(records: HistoryRecord[]) {
    const asked = new Set(records.filter(isTimeAlone).map(({ content_id }) => content_id))
    const missing = [...asked].filter(id => !this.known.has(id) && !this.run.ids.contents.given.has(id))
    if (missing.length === 0) return
    const projection = { duration: 1, markers: 1 } as const
    const found = await this.run.db
      .collection<ContentDocument>('contents')
      .find<Pick<ContentDocument, '_id' | 'duration' | 'markers'>>({ _id: { $in: missing } }, { projection })
      .toArray()
    for (const content of found) this.known.set(content._id, lengthsOf(content))
  }

  /** The record with the percentage that a report of its time would get. */
  complete(record: HistoryRecord, completedAt: number): HistoryRecord {
    if (!isTimeAlone(record)) return record
    const percentage = percentageOf(progressOf(record, this.of(record.content_id)), completedAt)
    return percentage === undefined ? record : { ...record, percentage }
  }

  private of(id: number) {
    const { lengths } = this.run.contents
    const duration = lengths.get(0, id)
    if (duration === undefined) return this.known.get(id)
    return { duration: ifKnown(duration), credits: ifKnown(lengths.get(1, id) as number) }
  }
}

const ifKnown = (value: number) => (Number.isNaN(value) ? undefined : value)

const isTimeAlone = ({ time, percentage }: HistoryRecord) => time !== undefined && percentage === undefined

/** Finds records of the same user and item as a newer one, or as a later one of the same moment. Only the newest is written. */
class Lines {
  private readonly newest = new Table(2, 2)
  private readonly superseded = new Table(1)

  add(pair: readonly [number, number], moment: number, place: number) {
    if (this.newest.add(pair, moment, place)) return
    const isNewest = moment >= (this.newest.get(0, ...pair) as number)
    this.superseded.add([isNewest ? (this.newest.get(1, ...pair) as number) : place])
    if (!isNewest) return
    this.newest.set(0, moment, ...pair)
    this.newest.set(1, place, ...pair)
  }

  isSuperseded(place: number) {
    return this.superseded.has(place)
  }
}
