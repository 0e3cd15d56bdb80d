import type { Marker } from '../../../schemas/content.js'
import type { ContentRecord } from '../../../schemas/import.js'
import { byStart, type ContentDocument, lengthsOf, withNulls } from '../../catalogue/content-documents.js'
import { wordsOf } from '../../catalogue/search/index.js'
import { Table } from '../../table.js'
import { momentOf } from '../../time.js'
import { type Entry, type ImportRun, type Kind, momentOrNull, type ReportFault, uniqueKeys } from '../kind.js'
import { inBatches } from '../records.js'
import { cyclesIn, cycleText, type Replacements } from '../replacements.js'
import { type Fields, idsNotGiven, upsertsFor } from '../writing.js'
import { ContentWarnings } from './content-warnings.js'
import { referenceFaults } from './references.js'

export const contents = (run: ImportRun, replacements: Replacements): Kind<ContentRecord> => {
  const { db, ids } = run
  const { given } = ids.contents
  const claimId = uniqueKeys(given, 'id')
  const parents = new Parents(run)
  const warnings = new ContentWarnings(run, replacements)
  const upserts = upsertsFor(db, 'contents', { derive: ({ fields }) => ({ words: wordsOf(fields as ContentFields) }) })

  const note = (record: ContentRecord) => {
    const { id, parent_id } = record
    if (parent_id) run.contents.parents.add([id], parent_id)
    const { duration, credits } = lengthsOf({ duration: record.duration ?? null, markers: markersOf(record) })
    if (duration !== undefined || credits !== undefined) run.contents.lengths.add([id], duration ?? Number.NaN, credits ?? Number.NaN)
    warnings.add(record)
  }

  return {
    collection: 'contents',
    revision: 'contents',

    async check(entries, report) {
      const records = entries.map(({ record }) => record)
      const wrongTerms = await referenceFaults(run, 'terms', records.flatMap(termsOf))
      const wrongPeople = await referenceFaults(run, 'people', records.flatMap(peopleOf))
      for (const entry of entries) {
        const { record, place } = entry
        const { id, replaces = [] } = record
        if (claimId([id], place, report)) note(record)
        replacements.add(id, replaces, place, report)
        for (const term of termsOf(record)) reportIfAny(report, place, 'terms', wrongTerms.get(term))
        for (const person of peopleOf(record)) reportIfAny(report, place, 'credits', wrongPeople.get(person))
        checkFields(entry, report)
      }
    },

    async checkAll(report) {
      await parents.check(report)
      await replacements.check(report)
    },

    warn: report => warnings.report(report),

    operations(records) {
      const current = records.filter(({ id }) => !replacements.isReplaced(id))
      return upserts(current.map(record => ({ _id: record.id, fields: fieldsOf(record) })))
    },

    pruning: {
      ids: () => idsNotGiven<number>(db, 'contents', id => given.has(id), { deleted_at: null }),

      /** Marks contents as deleted. Clears the digest, so that an import that has them writes them again. */
      async remove(ids, limit) {
        const now = new Date()
        const $set = { deleted_at: now, updated_at: now, digest: '' }
        const { matchedCount } = await db
          .collection<ContentDocument>('contents')
          .updateMany(
            { _id: { $in: ids as number[] } },
            { $set, $currentDate: { stamp: true } },
            { ...limit, writeConcern: { w: 'majority' } }
          )
        return matchedCount
      }
    }
  }
}

const termsOf = ({ terms = [] }: ContentRecord) => terms
const peopleOf = ({ credits }: ContentRecord) => [...new Set(credits?.map(({ person_id }) => person_id))]

const reportIfAny = (report: ReportFault, place: number, field: string, fault: string | undefined) => {
  if (fault) report(place, field, fault)
}

const freeForm = ['pricing', 'plans', 'external_ids'] as const

/** Checks that need no other record. */
const checkFields = ({ record, place }: Entry<ContentRecord>, report: ReportFault) => {
  const [starts, ends] = [momentOf(record.start_date), momentOrNull(record.end_date)]
  if (starts && ends && ends < starts) report(place, 'end_date', 'must not be before start_date')
  for (const fault of markerFaults(record)) report(place, 'markers', fault)
  if (hasTwoRatings(record)) report(place, 'age_ratings', 'must not have two of the same country and system')
  for (const field of freeForm) {
    reportIfAny(report, place, field, unstorable(record[field]))
  }
}

type ContentFields = Omit<Fields<ContentDocument>, 'words'>

const countries = (codes: string[] | null | undefined) => codes?.map(code => code.toUpperCase()) ?? null

/** The digest depends on the order of the fields. */
const fieldsOf = (record: ContentRecord): ContentFields => {
  const { parent_id = null, handler = '', handler_type = '', handler_id = '', title = {}, description = {}, weight = null } = record
  const { thumbnail = '', thumbnail_handler = '', keywords = '', pricing = null, payments_asset_id = null, purchaseable = 0 } = record
  const { currency = null, price = null, price_formatted = null, plans = {}, link = '', position = null, replaces = [] } = record
  return {
    parent_id,
    type: record.type,
    handler,
    handler_type,
    handler_id,
    name: record.name,
    title,
    description,
    weight,
    thumbnail,
    thumbnail_handler,
    keywords,
    pricing,
    payments_asset_id,
    purchaseable,
    start_date: momentOf(record.start_date),
    end_date: momentOrNull(record.end_date),
    countries_include: countries(record.countries_include),
    countries_exclude: countries(record.countries_exclude),
    created_at: momentOf(record.created_at),
    updated_at: momentOf(record.updated_at),
    currency,
    price,
    price_formatted,
    plans,
    link,
    deleted_at: momentOrNull(record.deleted_at),
    terms: [...new Set(record.terms)],
    position,
    replaces: replaces.length > 0 ? [...new Set(replaces)] : null,
    credits: creditsOf(record),
    // A new optional field changes every digest, so the next import writes all contents once.
    ...withNulls({ ...record, markers: markersOf(record), age_ratings: ageRatingsOf(record) })
  }
}

const markersOf = ({ markers }: ContentRecord): Marker[] | null =>
  byStart(markers?.map(({ type, start, end = null }) => ({ type, start, end }))) ?? null

const creditsOf = ({ credits }: ContentRecord) =>
  credits?.length ? credits.map(({ person_id, role, character = null }) => ({ person_id, role, character })) : null

const ageRatingsOf = ({ age_ratings }: ContentRecord) =>
  age_ratings?.map(rating => ({ ...rating, country: rating.country.toUpperCase() })) ?? null

const hasTwoRatings = (record: ContentRecord) => {
  const ratings = ageRatingsOf(record) ?? []
  return new Set(ratings.map(({ country, system }) => `${country} ${system}`)).size < ratings.length
}

const markerFaults = ({ markers, duration }: ContentRecord) => {
  const last = duration ?? Number.POSITIVE_INFINITY
  const faultOf = ({ start, end }: NonNullable<typeof markers>[number]) => {
    if (typeof end === 'number' && end <= start) return 'must end after they start'
    return Math.max(start, end ?? 0) > last ? 'must not exceed the duration' : []
  }
  return new Set((markers ?? []).flatMap(faultOf))
}

/** MongoDB allows 100 levels in a whole document. */
const maxLevels = 50

/** Why MongoDB cannot store an object, or undefined if it can. */
const unstorable = (value: unknown, depth = 0): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > maxLevels) return `must not be nested deeper than ${maxLevels} levels`
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes('\0')) return 'must not have a key with a null character'
    const fault = unstorable(inner, depth + 1)
    if (fault) return fault
  }
  return undefined
}

/** Checks that the parents of the run's contents exist, and that no item is its own ancestor. */
class Parents {
  constructor(private readonly run: ImportRun) {}

  async check(report: ReportFault) {
    await this.checkExistence(report)
    await this.checkCycles(report)
  }

  private placeOf(id: number) {
    return this.run.ids.contents.given.get(0, id) as number
  }

  private async checkExistence(report: ReportFault) {
    const { contents, ids } = this.run
    const orphans: { place: number; parent: number }[] = []
    for (const batch of inBatches(contents.parents.pairs())) {
      const missing = await ids.contents.missing(batch.map(([, parent]) => parent))
      for (const [id, parent] of batch) if (missing.has(parent)) orphans.push({ place: this.placeOf(id), parent })
    }
    orphans.sort((one, other) => one.place - other.place)
    for (const { place, parent } of orphans) report(place, 'parent_id', `there is no content ${parent}`)
  }

  private async checkCycles(report: ReportFault) {
    const { given } = this.run.ids.contents
    const ids = [...this.run.contents.parents.pairs()].map(([id]) => id)
    for (const cycle of cyclesIn(ids, await parentsOf(this.run, ids))) {
      const first = cycle.find(id => given.has(id)) as number
      report(this.placeOf(first), 'parent_id', `makes a cycle of parents: ${cycleText(cycle)}`)
    }
  }
}

/** Resolves with a function from an item or its ancestors to the parent. The run takes precedence over the database. */
export const parentsOf = async ({ db, ids: { contents }, contents: { parents: given } }: ImportRun, starts: Iterable<number>) => {
  /** 0 stands for none. */
  const parents = new Table(1, 1)
  let level = starts
  for (;;) {
    const above = new Set<number>()
    const add = (id: number, parent: number) => {
      parents.add([id], parent)
      if (parent > 0 && !parents.has(parent)) above.add(parent)
    }
    const others: number[] = []
    for (const id of level) {
      if (contents.given.has(id)) add(id, given.get(0, id) ?? 0)
      else others.push(id)
    }
    for (const batch of inBatches(others)) {
      const found = db.collection<ContentDocument>('contents').find({ _id: { $in: batch } }, { projection: { parent_id: 1 } })
      for await (const { _id, parent_id } of found) add(_id, parent_id ?? 0)
    }
    if (above.size === 0) break
    level = above
  }
  return (id: number) => {
    const parent = parents.get(0, id)
    return parent && parents.has(parent) ? parent : undefined
  }
}
