import type { RailCollectionRecord, RailRecord } from '../../../schemas/import.js'
import type { RailCollectionDocument, RailDocument } from '../../data/rail-collections.js'
import { uniqueKeys } from '../checking/unique-keys.js'
import type { ImportRun, Kind, ReportFault } from '../kind.js'
import { momentOf } from '../reading/moments.js'
import { Table } from '../table.js'
import { documentsOf, type Fields } from '../writing/catalogue-writes.js'
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

/** Times that a record does not give are those of the stored rail. `updated_at` stays while the rail is unchanged. */
const completeRails = (rails: GivenRail[], stored: RailDocument[]): RailDocument[] => {
  const now = new Date()
  return rails.map(rail => {
    const known = stored.find(({ id }) => id === rail.id)
    const created_at = rail.created_at ?? known?.created_at ?? now
    const isUnchanged = known && withoutTimes(known) === withoutTimes(rail)
    return { ...rail, created_at, updated_at: rail.updated_at ?? (isUnchanged ? known.updated_at : now) }
  })
}

const withoutTimes = ({ name, mname, query, framework_through_key }: GivenRail) =>
  JSON.stringify([name, mname, query, framework_through_key])

export const railCollections = ({ db }: ImportRun): Kind<RailCollectionRecord> => {
  const given = new Table(1, 1)
  const claimId = uniqueKeys(given, 'id')

  const checkQuery = (query: Record<string, unknown>, place: number, field: string, report: ReportFault) => {
    for (const [parameter, reason] of queryFaults(query, field)) report(place, parameter, reason)
  }

  return {
    ...documentsOf<RailCollectionRecord, number, RailCollectionDocument>(db, 'rail_collections', {
      idOf: ({ id }) => id,
      fieldsOf,
      isGiven: id => given.has(id),
      reads: { rails: 1 },
      derive: ({ fields }, stored) => ({ rails: completeRails((fields as RailCollectionFields).rails, stored?.rails ?? []) })
    }),

    check(entries, report) {
      for (const { record, place } of entries) {
        claimId([record.id], place, report)
        checkQuery(record.query, place, 'query', report)
        const rails = record.rails ?? []
        for (const [at, rail] of rails.entries()) {
          checkQuery(rail.query, place, `rails.${at}.query`, report)
          const first = rails.findIndex(({ id }) => id === rail.id)
          if (first < at) report(place, `rails.${at}.id`, `is already used by rails.${first}`)
        }
      }
    }
  }
}
