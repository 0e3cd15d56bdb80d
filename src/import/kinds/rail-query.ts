import { ContentsQuery } from '../../../schemas/contents-query.js'
import { integerId } from '../../http/ids.js'
import { compileValidator, invalidRequest } from '../../http/validation.js'

/** Node.js accepts 16 KiB of headers including the URL, and some proxies half of that. */
const maxLength = 4000

const each = (test: (value: string) => boolean) => (text: string) => text.split(',').every(test)
const isWord = (text: string) => /^[A-Za-z0-9_-]+$/.test(text)
const isId = (text: string) => integerId(text) !== undefined

const ids = { test: each(isId), expected: 'comma-separated ids' }

/** Stricter than the schema of GET /contents, which accepts other values but finds nothing by them. */
const rules = new Map([
  ['type', { test: each(isWord), expected: 'comma-separated types of letters, digits, - and _' }],
  ['parent_id', ids],
  ['terms', ids],
  ['ids', ids]
])

const isValue = (value: unknown) => typeof value === 'string' || typeof value === 'number'
const isGiven = (value: unknown) => isValue(value) || (Array.isArray(value) && value.every(isValue))

/** The query as the rail's URL will have it. Values of other types become empty texts, which no parameter accepts. */
export const queryOf = (query: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, isGiven(value) ? String(value) : '']))

const validate = compileValidator({ schema: ContentsQuery, httpPart: 'querystring' })

/** The errors that GET /contents would report, by parameter. */
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

/** Why GET /contents would refuse the query, by field. Contents and terms that it names need not exist. */
export const queryFaults = (given: Record<string, unknown>, field: string) => {
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
