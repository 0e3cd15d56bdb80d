import type { TermRecord } from '../../../schemas/import.js'
import type { ContentDocument } from '../../data/contents.js'
import { counterOf } from '../../data/counters.js'
import { revisionsOf } from '../../data/revisions.js'
import type { TermDocument } from '../../data/terms.js'
import { unique } from '../checking/unique.js'
import type { Kind, Run } from '../kind.js'
import { momentOf } from '../reading/given.js'
import { Table, textKey } from '../reading/table.js'
import { inBatches } from '../writing/batches.js'
import { type Fields, lacking, removing, replacing } from '../writing/catalogue-writes.js'
import { patience } from '../writing/patience.js'

type Pair = Pick<TermRecord, 'taxonomy' | 'vendor_id'>

const textOf = ({ taxonomy, vendor_id }: Pair) => JSON.stringify([taxonomy, vendor_id])

const fieldsOf = (record: TermRecord): Fields<TermDocument> => ({
  vendor_id: record.vendor_id,
  name: record.name,
  taxonomy: record.taxonomy,
  created_at: momentOf(record.created_at),
  updated_at: momentOf(record.updated_at)
})

export const terms = ({ db, ids }: Run): Kind<TermRecord> => {
  const { given } = ids.terms
  const isNewId = unique(given, 'id')
  const isNewPair = unique(new Table(2, 1), 'vendor_id')
  const collection = db.collection<TermDocument>('terms')
  const counter = counterOf(db, 'terms')
  const write = replacing(db, 'terms')
  let highest = 0

  /** The ids of the terms that the database has, by their pairs. */
  const storedIds = async (pairs: Pair[]) => {
    const ids = new Map<string, number>()
    if (pairs.length === 0) return ids
    const filter = { taxonomy: { $in: pairs.map(pair => pair.taxonomy) }, vendor_id: { $in: pairs.map(pair => pair.vendor_id) } }
    const found = collection.find(filter, { ...patience, projection: { taxonomy: 1, vendor_id: 1 } })
    for await (const term of found) ids.set(textOf(term), term._id)
    return ids
  }

  /** Terms without an id have that of their pair, or the next one. */
  const withIds = async (records: TermRecord[]) => {
    const nameless = records.filter(({ id }) => id === undefined)
    const stored = await storedIds(nameless)
    const newcomers = nameless.filter(record => !stored.has(textOf(record))).length
    let next = newcomers === 0 ? 0 : await counter.nextBlock(newcomers)
    return records.map(record => {
      const _id = record.id ?? stored.get(textOf(record)) ?? next++
      given.add([_id])
      return { _id, fields: fieldsOf(record) }
    })
  }

  /** Contents must not name a term that is gone. Without its digest, such a content is written again when it is imported with the term. */
  const dropReferences = async (gone: number[]) => {
    const result = await db
      .collection<ContentDocument>('contents')
      .updateMany(
        { terms: { $in: gone } },
        { $pull: { terms: { $in: gone } }, $set: { digest: '', updated_at: new Date() }, $currentDate: { stamp: true } },
        { ...patience, writeConcern: { w: 'majority' } }
      )
    if (result.matchedCount > 0) await revisionsOf(db).raise('contents')
  }

  return {
    collection: 'terms',
    revision: 'terms',

    async check(entries, report) {
      const stored = await storedIds(entries.map(({ record }) => record))
      for (const { record, place } of entries) {
        const known = stored.get(textOf(record))
        const id = record.id ?? known
        highest = Math.max(highest, record.id ?? 0)
        isNewPair(textKey(record.taxonomy, record.vendor_id), place, report)
        if (id !== undefined) isNewId([id], place, report)
        if (known !== undefined && known !== id) report(place, 'id', `the term of this taxonomy and vendor_id is ${known}`)
      }
    },

    begin: async () => highest > 0 && counter.moveTo(highest),

    operations: async records => write(await withIds(records)),

    async prune() {
      const isGiven = (id: number) => given.has(id)
      for (const gone of inBatches(await lacking<number>(db, 'terms', isGiven))) await dropReferences(gone)
      return removing(db, 'terms', isGiven)
    }
  }
}
