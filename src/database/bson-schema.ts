import type { TSchema } from '@sinclair/typebox'
import type { Document } from 'mongodb'
import { wireYears } from '../time.js'

/** What a field may hold, as part of a `$jsonSchema`. */
interface Rule {
  bsonType: string | readonly string[]
  items?: Rule
  properties?: Record<string, Rule>
  [keyword: string]: unknown
}
interface Optional {
  optional: Rule
}

const numbers = ['int', 'long', 'double']
export const text = { bsonType: 'string' }
export const flag = { bsonType: 'bool' }
export const objectId = { bsonType: 'objectId' }
/** `validatorOf` checks that the years fit the wire form, because `$jsonSchema` has no bounds for dates. */
export const date = { bsonType: 'date' }
/** Beyond these bounds, the driver returns a `long` as an object. */
export const whole = { bsonType: numbers, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, multipleOf: 1 }
export const count = { ...whole, minimum: 0 }
export const id = { ...whole, minimum: 1 }
/** A finite number. Players may report any such number. */
export const amount = { bsonType: numbers, minimum: 0, maximum: Number.MAX_VALUE, not: { bsonType: 'long', minimum: 2 ** 53 } }

export const optional = (rule: Rule): Optional => ({ optional: rule })
export const orNull = (rule: Rule): Rule => ({ ...rule, bsonType: [rule.bsonType, 'null'].flat() })
export const listOf = (items: Rule): Rule => ({ bsonType: 'array', items })

/** The rule for a field that is stored as it is sent. */
export const ofWire = ({ type, items, properties, required = [], minimum = whole.minimum }: TSchema): Rule => {
  if (type === 'string') return text
  if (type === 'integer') return { ...whole, minimum }
  if (type === 'array') return listOf(ofWire(items))
  // An object of strings, or one with known fields.
  if (!properties) return { bsonType: 'object', additionalProperties: text }
  return {
    bsonType: 'object',
    required,
    properties: Object.fromEntries(Object.entries<TSchema>(properties).map(([name, one]) => [name, ofWire(one)]))
  }
}

/** Does not compile if it lacks a field of the document, or requires one that may be missing. */
type Fields<T> = { [Name in keyof T]-?: Pick<T, Name> extends Required<Pick<T, Name>> ? Rule : Optional }

const isOptional = (field: Rule | Optional): field is Optional => 'optional' in field

/** An object with these fields, and possibly others. */
export const objectOf = <T>(fields: Fields<T>): Rule => {
  const all = Object.entries<Rule | Optional>(fields)
  return {
    bsonType: 'object',
    required: all.filter(([, field]) => !isOptional(field)).map(([name]) => name),
    properties: Object.fromEntries(all.map(([name, field]) => [name, isOptional(field) ? field.optional : field]))
  }
}

const datesIn = ({ bsonType, items, properties = {} }: Rule, path: string[] = []): string[] => {
  if (bsonType.includes('date')) return [path.join('.')]
  const inner = Object.entries(properties).flatMap(([name, rule]) => datesIn(rule, [...path, name]))
  return items ? datesIn(items, path) : inner
}

const isWireDate = (path: string): Document => ({
  $nor: [{ [path]: { $lt: wireYears.first } }, { [path]: { $gt: wireYears.last } }]
})

/** The MongoDB validator for documents of this type. */
export const validatorOf = <T>(fields: Fields<T>): Document => {
  const schema = objectOf(fields)
  return { $and: [{ $jsonSchema: schema }, ...datesIn(schema).map(isWireDate)] }
}
