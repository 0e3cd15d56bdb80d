import type { RailCollectionRecord, RailRecord } from '../../../schemas/import.js'
import type { RailCollectionDocument, RailDocument } from '../../data/rail-collections.js'
import { unique } from '../checking/unique.js'
import type { Kind, Report, Run } from '../kind.js'
import { momentOf } from '../reading/given.js'
import { Table } from '../reading/table.js'
import { type Fields, removing, replacing } from '../writing/catalogue-writes.js'
import { queryFaults, queryOf } from './rail-query.js'

type GivenRail = Omit<RailDocument, 'created_at' | 'updated_at'> & { created_at: Date | undefined; updated_at: Date | undefined }
type RailCollectionFields = Omit<Fields<RailCollectionDocument>, 'rails'> & { rails: GivenRail[] }

const railFields = (record: RailRecord, collection: number) => ({
  name: record.name,
  mname: record.mname,
  query: queryOf(record.query),
  framework_through_key: record.framework_through_key ?? collection,
  created_at: momentOf(record.created_at),
  updated_at: momentOf(record.updated_at)
})

const fieldsOf = (record: RailCollectionRecord): RailCollectionFields => ({
  ...railFields(record, record.id),
  rails: (record.rails ?? []).map(rail => ({ id: rail.id, ...railFields(rail, record.id) }))
})

/** Rails have times of their own, kept where the record does not give them. */
const completeRails = (rails: GivenRail[], stored: RailDocument[]): RailDocument[] => {
  const now = new Date()
  return rails.map(rail => {
    const known = stored.find(({ id }) => id === rail.id)
    const created_at = rail.created_at ?? known?.created_at ?? now
    const same = known && looks(known) === looks(rail)
    return { ...rail, created_at, updated_at: rail.updated_at ?? (same ? known.updated_at : now) }
  })
}

const looks = ({ name, mname, query, framework_through_key }: GivenRail) => JSON.stringify([name, mname, query, framework_through_key])

export const railCollections = ({ db }: Run): Kind<RailCollectionRecord> => {
  const given = new Table(1, 1)
  const isNew = unique(given, 'id')
  const write = replacing<RailCollectionDocument>(db, 'rail_collections', {
    reads: { rails: 1 },
    derive: ({ fields }, stored) => ({ rails: completeRails((fields as RailCollectionFields).rails, stored?.rails ?? []) })
  })

  const checkQuery = (query: Record<string, unknown>, place: number, field: string, report: Report) => {
    for (const [parameter, reason] of queryFaults(query, field)) report(place, parameter, reason)
  }

  return {
    collection: 'rail_collections',
    revision: 'rail_collections',

    check(entries, report) {
      for (const { record, place } of entries) {
        isNew([record.id], place, report)
        checkQuery(record.query, place, 'query', report)
        const rails = record.rails ?? []
        for (const [at, rail] of rails.entries()) {
          checkQuery(rail.query, place, `rails.${at}.query`, report)
          const first = rails.findIndex(({ id }) => id === rail.id)
          if (first < at) report(place, `rails.${at}.id`, `is the same as that of rails.${first}`)
        }
      }
    },

    operations: records => write(records.map(record => ({ _id: record.id, fields: fieldsOf(record) }))),

    prune: () => removing<number>(db, 'rail_collections', id => given.has(id))
  }
}
