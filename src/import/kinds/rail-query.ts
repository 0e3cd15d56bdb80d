import { ContentsQuery } from '../../../schemas/contents-query.js'
import { integerId } from '../../http/ids.js'
import { compileValidator, invalidRequest } from '../../http/validation.js'

/** Node takes 16 KiB of headers, address included, and some proxies half of that. */
const longest = 4000

const each = (test: (value: string) => boolean) => (text: string) => text.split(',').every(test)
const isWord = (text: string) => /^[A-Za-z0-9_-]+$/.test(text)
const isId = (text: string) => integerId(text) !== undefined

const ids = { test: each(isId), expected: 'ids with commas between them' }

/** What values must be beyond the schema of GET /contents, which would accept the rest and find nothing by it. */
const rules = new Map([
  ['type', { test: each(isWord), expected: 'types of letters, digits, - and _ with commas between them' }],
  ['parent_id', ids],
  ['terms', ids],
  ['ids', ids]
])

const isValue = (value: unknown) => typeof value === 'string' || typeof value === 'number'
const isGiven = (value: unknown) => isValue(value) || (Array.isArray(value) && value.every(isValue))

/** A query as it stands in the address of its rail. What cannot stand there is empty, which no parameter may be. */
export const queryOf = (query: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, isGiven(value) ? String(value) : '']))

const validate = compileValidator({ schema: ContentsQuery, httpPart: 'querystring' })

/** What GET /contents would answer to the query, by parameter. */
const refusals = (query: Record<string, string>) => {
  const { error } = validate({ ...query })
  const { errors = [] } = error ? invalidRequest(error, 'query').body : {}
  return new Map(errors.map(({ field, message }) => [field, message]))
}

const faultOf = (name: string, text: string, refused: Map<string, string>) => {
  if (!Object.hasOwn(ContentsQuery.properties, name)) return 'is not a parameter of GET /contents'
  const rule = rules.get(name)
  return rule && !rule.test(text) ? `must be ${rule.expected}` : refused.get(name)
}

/** What keeps a rail from being followed, by field. What its query names need not be there. */
export const queryFaults = (given: Record<string, unknown>, field: string) => {
  const query = queryOf(given)
  if (`${new URLSearchParams(query)}`.length > longest) return new Map([[field, `must have at most ${longest} characters in an address`]])
  const faults = new Map<string, string>()
  if (query.type === undefined) faults.set(`${field}.type`, 'is required')
  const refused = refusals(query)
  for (const [name, text] of Object.entries(query)) {
    const fault = faultOf(name, text, refused)
    if (fault) faults.set(`${field}.${name}`, fault)
  }
  return faults
}
