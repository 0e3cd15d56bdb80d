import type { ContentRecord } from '../../../schemas/import.js'
import { wordsOf } from '../../catalogue/words.js'
import type { ContentDocument } from '../../data/contents.js'
import { unstorable } from '../checking/storable.js'
import { unique } from '../checking/unique.js'
import type { Kind, Report, Run } from '../kind.js'
import { momentOf, momentOrNull } from '../reading/given.js'
import { Table } from '../reading/table.js'
import { inBatches } from '../writing/batches.js'
import { type Fields, lacking, replacing } from '../writing/catalogue-writes.js'
import { patience } from '../writing/patience.js'

type ContentFields = Omit<Fields<ContentDocument>, 'words'>

const countries = (codes: string[] | null | undefined) => codes?.map(code => code.toUpperCase()) ?? null

const fieldsOf = (record: ContentRecord): ContentFields => ({
  parent_id: record.parent_id ?? null,
  type: record.type,
  handler: record.handler ?? '',
  handler_type: record.handler_type ?? '',
  handler_id: record.handler_id ?? '',
  name: record.name,
  title: record.title ?? {},
  description: record.description ?? {},
  weight: record.weight ?? null,
  thumbnail: record.thumbnail ?? '',
  thumbnail_handler: record.thumbnail_handler ?? '',
  keywords: record.keywords ?? '',
  pricing: record.pricing ?? null,
  payments_asset_id: record.payments_asset_id ?? null,
  purchaseable: record.purchaseable ?? 0,
  start_date: momentOf(record.start_date),
  end_date: momentOrNull(record.end_date),
  countries_include: countries(record.countries_include),
  countries_exclude: countries(record.countries_exclude),
  created_at: momentOf(record.created_at),
  updated_at: momentOf(record.updated_at),
  currency: record.currency ?? null,
  price: record.price ?? null,
  price_formatted: record.price_formatted ?? null,
  plans: record.plans ?? {},
  link: record.link ?? '',
  deleted_at: momentOrNull(record.deleted_at),
  terms: [...new Set(record.terms)],
  position: record.position ?? null
})

const searchWords = ({ name, title, description, keywords }: ContentFields) =>
  wordsOf(name, ...Object.values(title), ...Object.values(description), keywords)

/** Longer circles are not told in full. */
const told = 10

export const contents = ({ db, ids, pruned }: Run): Kind<ContentRecord> => {
  const { given } = ids.contents
  const isNew = unique(given, 'id')
  const parents = new Table(1, 1)
  const collection = db.collection<ContentDocument>('contents')
  const write = replacing(db, 'contents', { derive: ({ fields }) => ({ words: searchWords(fields as ContentFields) }) })

  const placeOf = (id: number) => given.get(0, id) as number

  const checkParents = async (report: Report) => {
    const orphans: { place: number; parent: number }[] = []
    for (const batch of inBatches(parents.entries())) {
      const missing = await ids.contents.missing(batch.map(([, at]) => at(0)))
      for (const [id, at] of batch) if (missing.has(at(0))) orphans.push({ place: placeOf(id), parent: at(0) })
    }
    orphans.sort((one, other) => one.place - other.place)
    for (const { place, parent } of orphans) report(place, 'parent_id', `there is no content ${parent}`)
  }

  /** The parents of what the database has above the contents of the run. */
  const storedParents = async () => {
    const stored = new Table(1, 1)
    let level = new Set<number>()
    for (const [, at] of parents.entries()) if (!given.has(at(0))) level.add(at(0))
    while (level.size > 0) {
      const above = new Set<number>()
      for (const batch of inBatches(level)) {
        const found = collection.find({ _id: { $in: batch } }, { ...patience, projection: { parent_id: 1 } })
        for await (const { _id, parent_id } of found) {
          if (parent_id === null) continue
          stored.add([_id], parent_id)
          if (!given.has(parent_id) && !stored.has(parent_id)) above.add(parent_id)
        }
      }
      level = above
    }
    return stored
  }

  const checkCircles = async (report: Report) => {
    const stored = await storedParents()
    const settled = new Table(1)
    for (const [id] of parents.entries()) {
      const path = new Set<number>()
      let at: number | undefined = id
      while (at !== undefined && !settled.has(at) && !path.has(at)) {
        path.add(at)
        at = (given.has(at) ? parents : stored).get(0, at)
      }
      if (at !== undefined && path.has(at)) reportCircle([...path].slice([...path].indexOf(at)), report)
      for (const step of path) settled.add([step])
    }
  }

  const reportCircle = (circle: number[], report: Report) => {
    const first = circle.find(id => given.has(id)) as number
    const way = circle.length > told ? [...circle.slice(0, told), '...'] : circle
    report(placeOf(first), 'parent_id', `makes a circle of parents: ${[...way, circle[0]].join(' > ')}`)
  }

  return {
    collection: 'contents',
    revision: 'contents',

    async check(entries, report) {
      const missing = await ids.terms.missing(entries.flatMap(({ record }) => record.terms ?? []))
      for (const { record, place } of entries) {
        if (isNew([record.id], place, report) && record.parent_id) parents.add([record.id], record.parent_id)
        for (const term of record.terms ?? []) if (missing.has(term)) report(place, 'terms', missingTerm(term))
        const [starts, ends] = [momentOf(record.start_date), momentOrNull(record.end_date)]
        if (starts && ends && ends < starts) report(place, 'end_date', 'must not be before start_date')
        for (const field of ['pricing', 'plans'] as const) {
          const fault = unstorable(record[field])
          if (fault) report(place, field, fault)
        }
      }
    },

    async checkAll(report) {
      await checkParents(report)
      await checkCircles(report)
    },

    operations: records => write(records.map(record => ({ _id: record.id, fields: fieldsOf(record) }))),

    async prune() {
      const $set = { deleted_at: new Date(), updated_at: new Date(), digest: '' }
      let marked = 0
      for (const batch of inBatches(await lacking<number>(db, 'contents', id => given.has(id), { deleted_at: null }))) {
        const result = await collection.updateMany(
          { _id: { $in: batch } },
          { $set, $currentDate: { stamp: true } },
          { ...patience, writeConcern: { w: 'majority' } }
        )
        marked += result.matchedCount
      }
      return marked
    }
  }

  function missingTerm(term: number) {
    return pruned.has('terms') ? `the term ${term} is not in the run, which removes it` : `there is no term ${term}`
  }
}
