import type { TObject, TSchema } from '@sinclair/typebox'
import Ajv, { type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaValidationError } from 'fastify'
import { maxValueLength, maxValues } from '../../schemas/lists.js'
import { isSearch } from '../catalogue/words.js'
import { type FieldError, invalid } from '../errors.js'
import { moment } from '../time.js'

// Nothing is coerced: Ajv would make 0 of null and 5 of [5]. What a query may say otherwise than a body is read by `readQuery`.
const ajv = addFormats.default(new Ajv.default({ allErrors: true, useDefaults: true, verbose: true, strict: false, strictNumbers: true }))
ajv.addFormat('date-time', { validate: (text: string) => moment(text) !== undefined })
ajv.addFormat('search', { validate: isSearch })

/** Compiles the schemas of requests: bodies as they are, strings of queries and paths read as what their schema wants. */
export const compileValidator = ({ schema, httpPart }: { schema: unknown; httpPart?: string | undefined }) => {
  const validate = ajv.compile(schema as TSchema)
  const parameters = httpPart === 'querystring' ? Object.entries((schema as TObject).properties) : []

  return (data: unknown) => {
    const faults = readQuery(parameters, data as Query)
    if (faults.length > 0) return { error: faults }
    return validate(data) ? { value: data } : { error: validate.errors as ErrorObject[] }
  }
}

type Query = Record<string, unknown>

/**
 * Reads the values of a query in place; returns the faults that are told without looking at each value, since there may be
 * thousands: of parameters that were given twice, and of values that are too many or too long.
 */
const readQuery = (parameters: [string, TSchema][], query: Query): ErrorObject[] => {
  const faults: ErrorObject[] = []
  for (const [name, schema] of parameters) {
    const given = query[name] as string | string[] | undefined
    if (given === undefined) continue
    const isList = schema.type === 'array'
    const values = isList ? splitUpTo(maxValues + 1, given) : [given].flat()
    const fault = !isList && values.length > 1 ? 'repeated' : values.length > maxValues || values.some(isTooLong) ? 'size' : undefined
    if (fault) faults.push({ keyword: fault, instancePath: `/${name}`, schemaPath: '', params: {}, parentSchema: schema })
    else query[name] = isList ? values.map(value => read(schema.items, value)) : read(schema, values[0] as string)
  }
  return faults
}

/** The values of a list that is separated by commas, by repeating the parameter, or both; so many of them at most. */
const splitUpTo = (most: number, given: string | string[]) => {
  const values: string[] = []
  for (const text of [given].flat()) {
    values.push(...text.split(',', most))
    if (values.length >= most) break
  }
  return values
}

/** In characters, of which some take two places. */
const isTooLong = (text: string) => text.length > maxValueLength && (text.length > 2 * maxValueLength || [...text].length > maxValueLength)

const read = (schema: TSchema, text: string) => {
  if (schema.type === 'integer' && /^\d+$/.test(text)) return Number(text)
  // A plus that was not encoded has become a space on the way.
  if (schema.format === 'date-time') return text.replace(/ (?=\d\d:\d\d$)/, '+')
  return schema['x-upper-case'] ? text.toUpperCase() : text
}

type Fault = Partial<ErrorObject> & FastifySchemaValidationError & { parentSchema?: TSchema }

/** The 400 for the faults that a validator found: one for each field, in a sentence that gives the whole rule of the field. */
export const invalidRequest = (faults: FastifySchemaValidationError[], part: string) => {
  const errors = new Map<string, FieldError>()
  for (const fault of faults as Fault[]) {
    if (isOfAChoice(fault)) continue
    const field = fieldOf(fault) || part
    if (!errors.has(field)) errors.set(field, { field, message: messageOf(fault) })
  }
  return invalid([...errors.values()] as [FieldError, ...FieldError[]])
}

const fieldOf = (fault: Fault) => {
  const [either] = alternatives(fault)
  if (either) return either
  return fault.keyword === 'required' ? String(fault.params.missingProperty) : (fault.instancePath.split('/')[1] ?? '')
}

/** The fields of which a body must have at least one. */
const alternatives = ({ keyword, parentSchema }: Fault): string[] =>
  keyword === 'anyOf' ? (parentSchema as TSchema).anyOf.flatMap((choice: TSchema) => choice.required ?? []) : []

/** A choice between schemas tells its faults one by one, and then its own, which says it all. */
const isOfAChoice = ({ schemaPath }: Fault) => /\/anyOf\/\d+\//.test(schemaPath as string)

const messageOf = (fault: Fault) => {
  const { keyword, parentSchema } = fault
  const [, ...others] = alternatives(fault)
  if (others.length > 0) return `is required, or ${others.join(' or ')}`
  if (keyword === 'required') return 'is required'
  if (keyword === 'repeated') return 'must be given once'
  if (keyword === 'size') return `must be ${sizeRule(parentSchema as TSchema)}`
  return `must be ${rule(parentSchema as TSchema)}`
}

/** Of a query parameter. */
const sizeRule = (schema: TSchema) => {
  if (schema['x-rule']) return schema['x-rule']
  const text = `of at most ${maxValueLength} characters`
  return schema.type === 'array' ? `${rule(schema)} ${text} each` : text
}

const rule = (schema: TSchema): string => {
  if (schema['x-rule']) return schema['x-rule']
  const choices = [schema.anyOf ?? schema].flat().flatMap((choice: TSchema) => ('const' in choice ? [choice.const] : []))
  if (choices.length > 0) return choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.format === 'date-time') return 'a timestamp in the form of RFC 3339'
  if (schema.type === 'integer') return `an integer${bounds(schema)}`
  if (schema.type === 'number') return `a number${bounds(schema)}`
  if (schema.type === 'string') return `a text${length(schema)}`
  if (schema.type === 'array') return `a list${schema.maxItems ? ` of at most ${schema.maxItems} values` : ''}`
  return `an ${schema.type}`
}

const length = ({ minLength, maxLength }: TSchema) => {
  if (maxLength) return ` of ${minLength ? `${minLength} to` : 'at most'} ${maxLength} characters`
  return minLength ? ' that is not empty' : ''
}

const bounds = ({ minimum, maximum }: TSchema) => {
  const upper = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`
  return minimum === undefined ? '' : ` from ${minimum}${upper}`
}
