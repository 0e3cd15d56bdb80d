import type { TObject, TSchema } from '@sinclair/typebox'
import type { ErrorObject } from 'ajv'
import type { FastifySchemaValidationError } from 'fastify'
import type { FieldError } from '../../schemas/common.js'
import { maxValueLength, maxValues } from '../../schemas/lists.js'
import { invalid } from '../errors.js'
import { inputAjv, rule } from '../validators.js'

/** Compiles a schema. The strings of a query are first converted to the types in it. */
export const compileValidator = ({ schema, httpPart }: { schema: unknown; httpPart?: string | undefined }) => {
  const validate = inputAjv.compile(schema as TSchema)
  const parameters = httpPart === 'querystring' && Object.entries<TSchema>((schema as TObject).properties)

  return (data: unknown) => {
    const faults = parameters ? convertQuery(parameters, data as Query) : []
    if (faults.length > 0) return { error: faults }
    return validate(data) ? { value: data } : { error: validate.errors as ErrorObject[] }
  }
}

type Query = Record<string, unknown>

/** Converts the values in place. Finds repeated parameters and too many or too long values without validating thousands of them. */
const convertQuery = (parameters: [string, TSchema][], query: Query): ErrorObject[] => {
  const faults: ErrorObject[] = []
  for (const [name, schema] of parameters) {
    const given = query[name] as string | string[] | undefined
    if (given === undefined) continue
    const isList = schema.type === 'array'
    const values = isList ? splitUpTo(maxValues + 1, given) : [given].flat()
    const fault = faultIn(values, schema)
    if (fault) faults.push({ keyword: fault, instancePath: `/${name}`, schemaPath: '', params: {}, parentSchema: schema })
    else query[name] = isList ? values.map(value => converted(schema.items, value)) : converted(schema, values[0] as string)
  }
  return faults
}

const faultIn = (values: string[], schema: TSchema) => {
  if (values.length > 1 && schema.type !== 'array') return 'repeated'
  return values.length > maxValues || values.some(value => isTooLong(value, longestOf(schema))) ? 'size' : undefined
}

/** The first values of a list. They are separated by commas, by repeating the parameter, or both. */
const splitUpTo = (most: number, given: string | string[]) => {
  const values: string[] = []
  for (const text of [given].flat()) {
    values.push(...text.split(',', most))
    if (values.length >= most) break
  }
  return values
}

const longestOf = ({ maxLength = maxValueLength }: TSchema): number => maxLength

/** Counts characters, some of which take two places in a string. */
const isTooLong = (text: string, most: number) => text.length > most && (text.length > 2 * most || [...text].length > most)

const converted = (schema: TSchema, text: string) => {
  if (schema.type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  // In a query, an unencoded plus means a space.
  if (schema.format === 'date-time') return text.replace(/ (?=\d\d:\d\d$)/, '+')
  // Mixed case is not converted, so it is rejected.
  return schema['x-upper-case'] && text === text.toLowerCase() ? text.toUpperCase() : text
}

type Fault = Partial<ErrorObject> & FastifySchemaValidationError & { parentSchema?: TSchema }

/** The 400 for the faults that a validator found. Each field is named once, with its whole rule. */
export const invalidRequest = (faults: FastifySchemaValidationError[], part: string) => {
  const errors = new Map<string, FieldError>()
  for (const fault of faults as Fault[]) {
    if (isOfAlternative(fault)) continue
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

/** Fields of which a body must have at least one. */
const alternatives = ({ keyword, parentSchema }: Fault): string[] =>
  keyword === 'anyOf' ? (parentSchema as TSchema).anyOf.flatMap((choice: TSchema) => choice.required ?? []) : []

/** Ajv reports the faults of each alternative of an `anyOf`, then one for the `anyOf` as a whole, which is enough. */
const isOfAlternative = ({ schemaPath }: Fault) => /\/anyOf\/\d+\//.test(schemaPath as string)

const messageOf = (fault: Fault) => {
  const { keyword, parentSchema } = fault
  const [, ...others] = alternatives(fault)
  if (others.length > 0) return `is required, or ${others.join(' or ')}`
  if (keyword === 'required') return 'is required'
  if (keyword === 'repeated') return 'must be given only once'
  if (keyword === 'size') return `must be ${sizeRule(parentSchema as TSchema)}`
  const text = rule(parentSchema as TSchema, keyword)
  return isOfList(fault) ? `must be a list of values, each ${text}` : `must be ${text}`
}

/** Whether a value of a list is at fault, not the list. */
const isOfList = ({ instancePath }: Fault) => instancePath.split('/').length > 2

const sizeRule = (schema: TSchema) => {
  if (schema['x-rule']) return schema['x-rule']
  const text = `of at most ${longestOf(schema)} characters`
  return schema.type === 'array' ? `${rule(schema)} ${text} each` : text
}
