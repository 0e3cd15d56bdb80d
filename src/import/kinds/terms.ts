import type { Db } from 'mongodb'
import type { TermRecord } from '../../../schemas/import.js'
import type { TermDocument } from '../../catalogue/term-documents.js'
import { Table, textKey } from '../../table.js'
import { momentOf } from '../../time.js'
import { type ImportRun, idsFor, type Kind, uniqueKeys } from '../kind.js'
import { type Fields, idsNotGiven, removeDocuments, upsertsFor } from '../writing.js'
import { pullReferences } from './references.js'

export const terms = (run: ImportRun): Kind<TermRecord> => {
  const { db } = run
  const { given } = run.ids.terms
  const claimId = uniqueKeys(given, 'id')
  const claimPair = uniqueKeys(new Table(2, 1), 'vendor_id')
  const counter = idsFor(run, 'terms')
  const upserts = upsertsFor(db, 'terms')
  let highest = 0

  /** A term without an id gets the id of its pair in the database, or a new one. */
  const withIds = async (records: TermRecord[]) => {
    const withoutId = records.filter(({ id }) => id === undefined)
    const stored = await storedIds(db, withoutId)
    const added = withoutId.filter(record => !stored.has(textOf(record))).length
    let next = added === 0 ? 0 : await counter.nextBlock(added)
    return records.map(record => {
      const _id = record.id ?? stored.get(textOf(record)) ?? next++
      given.add([_id])
      return { _id, fields: fieldsOf(record) }
    })
  }

  return {
    collection: 'terms',
    revision: 'terms',

    async check(entries, report) {
      const records = entries.map(({ record }) => record)
      const stored = await storedIds(db, records)
      for (const { record, place } of entries) {
        const known = stored.get(textOf(record))
        const id = record.id ?? known
        highest = Math.max(highest, record.id ?? 0)
        claimPair(textKey(record.taxonomy, record.vendor_id), place, report)
        if (id !== undefined) claimId([id], place, report)
        if (known !== undefined && known !== id) report(place, 'id', `the term with this taxonomy and vendor_id has the id ${known}`)
      }
    },

    begin: async () => highest > 0 && counter.moveTo(highest),

    operations: async records => upserts(await withIds(records)),

    pruning: {
      ids: () => idsNotGiven<number>(db, 'terms', id => given.has(id)),
      async remove(ids, limit) {
        const removed = { terms: { $in: ids as number[] } }
        await pullReferences(db, removed, removed, limit)
        return removeDocuments(db, 'terms', ids, limit)
      }
    }
  }
}

type Pair = Pick<TermRecord, 'taxonomy' | 'vendor_id'>

const textOf = ({ taxonomy, vendor_id }: Pair) => JSON.stringify([taxonomy, vendor_id])

const fieldsOf = (record: TermRecord): Fields<TermDocument> => ({
  vendor_id: record.vendor_id,
  name: record.name,
  taxonomy: record.taxonomy,
  created_at: momentOf(record.created_at),
  updated_at: momentOf(record.updated_at)
})

/** The ids in the database, by pairs of taxonomy and vendor_id. */
const storedIds = async (db: Db, pairs: Pair[]) => {
  const ids = new Map<string, number>()
  if (pairs.length === 0) return ids
  const filter = { taxonomy: { $in: pairs.map(pair => pair.taxonomy) }, vendor_id: { $in: pairs.map(pair => pair.vendor_id) } }
  const found = db.collection<TermDocument>('terms').find(filter, { projection: { taxonomy: 1, vendor_id: 1 } })
  for await (const term of found) ids.set(textOf(term), term._id)
  return ids
}
