import type { TSchema } from '@sinclair/typebox'

/** What a value must be, in the same words for callers, operators and import reports. `x-rule` says what no keyword expresses. */
export const rule = (schema: TSchema): string => {
  const [type, ...others] = [schema.type].flat()
  const text = schema['x-rule'] ?? ruleOf(schema, type)
  return others.includes('null') ? `${text} or null` : text
}

const ruleOf = (schema: TSchema, type: string) => {
  const choices = [schema.anyOf ?? schema].flat().flatMap((choice: TSchema) => ('const' in choice ? [choice.const] : []))
  if (choices.length > 0) return choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.format === 'date-time') return 'a timestamp in the form of RFC 3339'
  if (type === 'integer') return `an integer${bounds(schema)}`
  if (type === 'number') return `a number${bounds(schema)}`
  if (type === 'string') return `a text${length(schema)}`
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return `a list${schema.maxItems ? ` of at most ${schema.maxItems} values` : ''}`
  return `an ${type}`
}

const length = ({ minLength, maxLength }: TSchema) => {
  if (maxLength) return ` of ${minLength ? `${minLength} to` : 'at most'} ${maxLength} characters`
  return minLength ? ' that is not empty' : ''
}

/** Omits ±(2^53 − 1), which callers need not know. */
const bounds = ({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: TSchema) => {
  const upper = maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`
  return minimum === Number.MIN_SAFE_INTEGER ? '' : ` from ${minimum}${upper}`
}
