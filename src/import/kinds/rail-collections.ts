import { ContentsQuery, RailQuery } from '../../../schemas/contents-query.js'
import type { RailCollectionRecord, RailRecord } from '../../../schemas/import.js'
import type { RailCollectionDocument, RailDocument } from '../../catalogue/rail-collections.js'
import { integerId } from '../../http/requests.js'
import { compileValidator, invalidRequest } from '../../http/validation.js'
import { momentOf } from '../../time.js'
import type { ImportRun, Kind, ReportFault } from '../kind.js'
import type { Fields } from '../writing.js'
import { documentsOf } from './documents.js'

type GivenRail = Omit<RailDocument, 'created_at' | 'updated_at'> & { created_at: Date | undefined; updated_at: Date | undefined }
type RailCollectionFields = Omit<Fields<RailCollectionDocument>, 'rails'> & { rails: GivenRail[] }

export const railCollections = ({ db }: ImportRun): Kind<RailCollectionRecord> => {
  const { claimId, ...collections } = documentsOf<RailCollectionRecord, number, RailCollectionDocument>(db, 'rail_collections', {
    idOf: ({ id }) => id,
    idField: 'id',
    fieldsOf,
    reads: { rails: 1 },
    derive: ({ fields }, stored) => ({ rails: completeRails((fields as RailCollectionFields).rails, stored?.rails ?? []) })
  })

  const checkQuery = (query: Record<string, unknown>, place: number, field: string, report: ReportFault) => {
    for (const [parameter, reason] of queryFaults(query, field)) report(place, parameter, reason)
  }

  return {
    ...collections,
    check(entries, report) {
      for (const entry of entries) {
        const { record, place } = entry
        claimId(entry, report)
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

/** Times missing from a record are taken from the stored rail. `updated_at` stays the same while the rail is unchanged. */
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

/** Node.js accepts 16 KiB of headers including the URL, and some proxies half of that. */
const maxLength = 4000

const each = (test: (value: string) => boolean) => (text: string) => text.split(',').every(test)
const isWord = (text: string) => /^[A-Za-z0-9_-]+$/.test(text)
const isId = (text: string) => integerId(text) !== undefined

const ids = { test: each(isId), expected: 'comma-separated ids' }

/** Stricter than the schema of GET /contents, which accepts other values, but finds nothing for them. */
const rules = new Map([
  ['type', { test: each(isWord), expected: 'comma-separated types of letters, digits, - and _' }],
  ['parent_id', ids],
  ['terms', ids],
  ['people', ids],
  ['ids', ids],
  ['year', ids]
])

const isValue = (value: unknown) => typeof value === 'string' || typeof value === 'number'
const isGiven = (value: unknown) => isValue(value) || (Array.isArray(value) && value.every(isValue))

/** The query as in the URL of the rail. Values of other types become empty strings, which no parameter accepts. */
const queryOf = (query: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, isGiven(value) ? String(value) : '']))

const validate = compileValidator({ schema: RailQuery, httpPart: 'querystring' })

/** The errors that GET /contents would report, by parameter. */
const refusals = (query: Record<string, string>) => {
  const { error } = validate({ ...query })
  const { errors = [] } = error ? invalidRequest(error, 'query').body : {}
  return new Map(errors.map(({ field, message }) => [field, message]))
}

const faultOf = (name: string, text: string, refused: Map<string, string>) => {
  if (!Object.hasOwn(ContentsQuery.properties, name)) return 'is not a parameter of GET /contents'
  if (!Object.hasOwn(RailQuery.properties, name)) return 'depends on the viewer, and a rail is the same for everybody'
  const rule = rules.get(name)
  return rule && !rule.test(text) ? `must be ${rule.expected}` : refused.get(name)
}

/** Why GET /contents would refuse the query, by field. Contents and terms that it names need not exist. */
const queryFaults = (given: Record<string, unknown>, field: string) => {
  const query = queryOf(given)
  if (`${new URLSearchParams(query)}`.length > maxLength) return new Map([[field, `must have at most ${maxLength} characters in a URL`]])
  const faults = new Map<string, string>()
  if (query.type === undefined) faults.set(`${field}.type`, 'is required')
  const refused = refusals(query)
  for (const [name, text] of Object.entries(query)) {
    const fault = faultOf(name, text, refused)
    if (fault) faults.set(`${field}.${name}`, fault)
  }
  return faults
}
