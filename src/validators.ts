import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { isSearch } from './catalogue/search/index.js'
import { isProxyList } from './http/addresses.js'
import { isTimeZone, moment } from './time.js'

/**
 * Checks input: requests, settings and import files. Reports every fault and fills in defaults. Does not coerce, because Ajv would turn
 * null into 0 and [5] into 5.
 */
export const inputAjv = new Ajv({
  allErrors: true,
  useDefaults: true,
  verbose: true,
  strict: false,
  strictNumbers: true,
  formats: {
    'date-time': text => moment(text) !== undefined,
    'time-zone': isTimeZone,
    search: isSearch,
    proxies: isProxyList,
    url: URL.canParse
  }
})

/** Checks output. Changes nothing, stops at the first fault, and accepts timestamps only in their wire form. */
export const wireAjv = new Ajv({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/ } })

/**
 * Describes what a value must be, in the same words for callers, operators and import reports. `x-rule` says what no keyword can express.
 * A limit that callers need not know is left out, unless the value broke it.
 */
export const rule = (schema: TSchema, broken?: string): string => {
  const [type, ...others] = [schema.type].flat()
  const text = schema['x-rule'] ?? ruleOf(schema, type, broken)
  return others.includes('null') ? `${text} or null` : text
}

const ruleOf = (schema: TSchema, type: string, broken: string | undefined) => {
  const choices = [schema.anyOf ?? schema].flat().flatMap((choice: TSchema) => ('const' in choice ? [choice.const] : []))
  if (choices.length > 0) return choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.format === 'date-time') return 'an RFC 3339 timestamp'
  if (type === 'integer') return `an integer${bounds(schema, broken)}`
  if (type === 'number') return `a number${bounds(schema, broken)}`
  if (type === 'string') return `a string${length(schema)}`
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return `a list${schema.maxItems ? ` of ${upTo(schema.minItems, schema.maxItems)} values` : ''}`
  return `an ${type}`
}

const upTo = (least: number | undefined, most: number) => (least ? `${least} to ${most}` : `at most ${most}`)

const length = ({ minLength, maxLength }: TSchema) => {
  if (maxLength) return ` of ${upTo(minLength, maxLength)} characters`
  return minLength ? ' that is not empty' : ''
}

/** Omits ±(2^53 − 1), except for a value beyond it. */
const bounds = ({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: TSchema, broken: string | undefined) => {
  const lower = minimum === Number.MIN_SAFE_INTEGER && broken !== 'minimum' ? '' : ` from ${minimum}`
  const upper = maximum === Number.MAX_SAFE_INTEGER && broken !== 'maximum' ? '' : `${lower ? '' : ' up'} to ${maximum}`
  return lower + upper
}
