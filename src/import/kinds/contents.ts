import type { ContentRecord } from '../../../schemas/import.js'
import { wordsOf } from '../../catalogue/words.js'
import { type ContentDocument, noOptionalFields, optionalFields } from '../../data/contents.js'
import { inBatches } from '../batches.js'
import { Parents } from '../checking/parents.js'
import { unstorable } from '../checking/storable.js'
import { uniqueKeys } from '../checking/unique-keys.js'
import type { ImportRun, Kind } from '../kind.js'
import { momentOf, momentOrNull } from '../reading/moments.js'
import { type Fields, idsNotGiven, upsertsFor } from '../writing/catalogue-writes.js'

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
  position: record.position ?? null,
  ...optionalFields(record)
})

const searchWords = ({ name, title, description, keywords }: ContentFields) =>
  wordsOf(name, ...Object.values(title), ...Object.values(description), keywords)

/** Adds null for the optional fields that a record lacks. The digest does not include them, so that those of earlier versions stay valid. */
const derivedFrom = (fields: ContentFields) => ({ ...noOptionalFields, ...optionalFields(fields), words: searchWords(fields) })

export const contents = ({ db, ids, pruned }: ImportRun): Kind<ContentRecord> => {
  const { given } = ids.contents
  const claimId = uniqueKeys(given, 'id')
  const parents = new Parents(db, ids.contents)
  const upserts = upsertsFor(db, 'contents', { derive: ({ fields }) => derivedFrom(fields as ContentFields) })

  const missingTerm = (term: number) =>
    pruned.has('terms') ? `the term ${term} is not in the import, which removes it` : `there is no term ${term}`

  return {
    collection: 'contents',
    revision: 'contents',

    async check(entries, report) {
      const missing = await ids.terms.missing(entries.flatMap(({ record }) => record.terms ?? []))
      for (const { record, place } of entries) {
        if (claimId([record.id], place, report) && record.parent_id) parents.add(record.id, record.parent_id)
        for (const term of record.terms ?? []) if (missing.has(term)) report(place, 'terms', missingTerm(term))
        const [starts, ends] = [momentOf(record.start_date), momentOrNull(record.end_date)]
        if (starts && ends && ends < starts) report(place, 'end_date', 'must not be before start_date')
        for (const field of ['pricing', 'plans', 'external_ids'] as const) {
          const fault = unstorable(record[field])
          if (fault) report(place, field, fault)
        }
      }
    },

    checkAll: report => parents.check(report),

    operations: records => upserts(records.map(record => ({ _id: record.id, fields: fieldsOf(record) }))),

    /** Marks contents as deleted. Clears the digest, so that an import with the content writes it again. */
    async prune(confirm) {
      const now = new Date()
      const $set = { deleted_at: now, updated_at: now, digest: '' }
      let marked = 0
      for (const batch of inBatches(await idsNotGiven<number>(db, 'contents', id => given.has(id), { deleted_at: null }))) {
        const result = await db
          .collection<ContentDocument>('contents')
          .updateMany(
            { _id: { $in: batch } },
            { $set, $currentDate: { stamp: true } },
            { ...(await confirm()), writeConcern: { w: 'majority' } }
          )
        marked += result.matchedCount
      }
      return marked
    }
  }
}
