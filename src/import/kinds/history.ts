import { ObjectId } from 'mongodb'
import type { HistoryRecord } from '../../../schemas/import.js'
import { Table } from '../../table.js'
import { moment } from '../../time.js'
import type { HistoryDocument } from '../../viewing/history.js'
import { notAfterNow } from '../../viewing/lists.js'
import { isCompleted, previousFields } from '../../viewing/progress.js'
import { type ImportRun, type Kind, momentOrNull, type Operation } from '../kind.js'
import type { Replacements } from '../replacements.js'
import { checkReferences, uniqueIds } from './lists.js'

export const history = (run: ImportRun, replacements: Replacements): Kind<HistoryRecord> => {
  const checkIds = uniqueIds(run, {
    collection: 'history',
    owners: new Table(2, 2),
    field: '_id',
    idOf: ({ _id }: HistoryRecord) => (_id === undefined ? undefined : new ObjectId(_id)),
    keyOf: id => halves(id.toHexString())
  })
  const superseded = new SupersededRecords()
  const startedAt = new Date()

  return {
    collection: 'history',

    async check(entries, report) {
      await checkReferences(run, replacements, entries, report)
      for (const { record, place } of entries)
        superseded.add([record.user_id, record.content_id], observedAt(record, startedAt).getTime(), place)
      await checkIds(entries, report)
    },

    isSuperseded: place => superseded.isSuperseded(place),

    async operations(records) {
      await replacements.apply(records)
      return records.map(record => operation(record, startedAt, run.completedAt))
    }
  }
}

/** An id of 24 hexadecimal characters as two numbers. */
const halves = (id: string) => [Number.parseInt(id.slice(0, 12), 16), Number.parseInt(id.slice(12), 16)] as const

/** Undefined if it is missing or in the future. */
const pastMoment = (text: string | null | undefined, startedAt: Date) => {
  const moment = momentOrNull(text)
  return moment && moment < startedAt ? moment : undefined
}

/** `updated_at`, or the start of the run. */
const observedAt = ({ updated_at }: HistoryRecord, startedAt: Date) => pastMoment(updated_at, startedAt) ?? startedAt

/** The completions to store. Whatever the record does not say stays as it is in an existing element. */
const completionsOf = ({ plays, watched_at, percentage }: HistoryRecord, updated_at: Date, startedAt: Date, completedAt: number) => {
  if (plays === undefined && !watched_at) {
    const isThere = { $ne: [{ $type: '$updated_at' }, 'missing'] }
    const isAtEnd = isCompleted(percentage, completedAt)
    return {
      plays: { $cond: [isThere, { $ifNull: ['$plays', 0] }, isAtEnd ? 1 : '$$REMOVE'] },
      watched_at: { $cond: [isThere, '$watched_at', isAtEnd ? notAfterNow(updated_at) : '$$REMOVE'] }
    }
  }
  const moment = pastMoment(watched_at, startedAt) ?? { $ifNull: ['$watched_at', updated_at] }
  return { plays: plays ?? { $max: ['$plays', 1] }, watched_at: plays === 0 ? '$$REMOVE' : moment }
}

/** The position before a brief start. It belongs to the position, so a record without one removes it. */
const previousFrom = ({ previous }: HistoryRecord): Pick<HistoryDocument, (typeof previousFields)[number]> =>
  previous
    ? {
        previous_time: previous.time,
        previous_percentage: previous.percentage,
        previous_observed_at: moment(previous.observed_at) as Date
      }
    : {}

/** The database compares and writes in one operation, so an import undoes nothing that a viewer does meanwhile. */
const operation = (record: HistoryRecord, startedAt: Date, completedAt: number): Operation => {
  const { user_id, content_id, time = 0, percentage = 0 } = record
  const updated_at = observedAt(record, startedAt)
  const created_at = pastMoment(record.created_at, startedAt)
  const { plays, watched_at } = completionsOf(record, updated_at, startedAt, completedAt)
  const saysCompletions = record.plays !== undefined || record.watched_at

  const previous = previousFrom(record)

  const isNewer = { $gte: [updated_at, { $ifNull: ['$updated_at', updated_at] }] }
  const given = {
    time,
    percentage,
    ...(created_at && { created_at }),
    ...(updated_at < startedAt && { updated_at }),
    ...(saysCompletions && { plays, watched_at })
  }
  // Otherwise every run would change the element.
  const differences = Object.entries(given).map(([field, value]) => ({ $ne: [`$${field}`, value] }))
  const isPreviousOther = previousFields.map(field => ({ $ne: [{ $ifNull: [`$${field}`, null] }, previous[field] ?? null] }))
  const differs = { $or: [...differences, ...isPreviousOther] }
  const counts = { $and: [isNewer, differs] }
  const update = [
    {
      $set: {
        _id: { $ifNull: ['$_id', new ObjectId(record._id)] },
        time: { $cond: [counts, time, '$time'] },
        percentage: { $cond: [counts, percentage, '$percentage'] },
        plays: { $cond: [counts, plays, '$plays'] },
        watched_at: { $cond: [counts, watched_at, '$watched_at'] },
        ...Object.fromEntries(previousFields.map(field => [field, { $cond: [counts, previous[field] ?? '$$REMOVE', `$${field}`] }])),
        created_at: created_at ? { $cond: [counts, created_at, '$created_at'] } : { $ifNull: ['$created_at', updated_at] },
        // The clock of the database may be behind.
        updated_at: { $cond: [counts, notAfterNow(updated_at), '$updated_at'] },
        arrived_at: { $cond: [counts, '$$NOW', '$arrived_at'] }
      }
    }
  ]
  return { updateOne: { filter: { user_id, content_id }, update, upsert: true } }
}

/** Finds the records that a later one of the same user, content and moment replaces: writing both would change it on every run. */
class SupersededRecords {
  private readonly newest = new Table(2, 2)
  private readonly superseded = new Table(1)

  add(pair: readonly [number, number], moment: number, place: number) {
    if (this.newest.add(pair, moment, place)) return
    const known = this.newest.get(0, ...pair) as number
    if (moment < known) return
    if (moment === known) this.superseded.add([this.newest.get(1, ...pair) as number])
    this.newest.set(0, moment, ...pair)
    this.newest.set(1, place, ...pair)
  }

  isSuperseded(place: number) {
    return this.superseded.has(place)
  }
}
