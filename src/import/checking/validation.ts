import type { TSchema } from '@sinclair/typebox'
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv'
import { type ImportKind, importRecords } from '../../../schemas/import.js'
import { moment } from '../../time.js'

const ajv = new Ajv.default({ allErrors: true, verbose: true, strict: false, strictNumbers: true })
ajv.addFormat('date-time', { validate: (text: string) => moment(text) !== undefined })

const compiled = new Map<ImportKind, ValidateFunction>()

const validatorOf = (kind: ImportKind) => {
  const known = compiled.get(kind) ?? ajv.compile(importRecords[kind])
  compiled.set(kind, known)
  return known
}

/** The faults of a record, by field; nothing is coerced. */
export const faultsOf = (kind: ImportKind, record: unknown): Map<string, string> | undefined => {
  const validate = validatorOf(kind)
  if (validate(record)) return undefined
  const faults = new Map<string, string>()
  for (const error of validate.errors as ErrorObject[]) {
    const field = fieldOf(error)
    if (!faults.has(field)) faults.set(field, reasonOf(error, kind))
  }
  return faults
}

const fieldOf = ({ instancePath, keyword, params }: ErrorObject) => {
  const path = instancePath.split('/').slice(1).map(unescaped)
  if (keyword === 'required') path.push(params.missingProperty)
  if (keyword === 'additionalProperties') path.push(params.additionalProperty)
  return path.join('.') || 'JSON'
}

/** Of a JSON pointer. */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

const reasonOf = ({ keyword, propertyName, parentSchema, message }: ErrorObject, kind: ImportKind) => {
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') return `is not a field of ${kind}`
  const { expected = message, beyond, type } = parentSchema as TSchema
  if (keyword === 'maximum' && beyond) return `must be ${beyond}`
  const orNull = Array.isArray(type) ? ' or null' : ''
  return propertyName === undefined ? `must be ${expected}${orNull}` : `${JSON.stringify(propertyName)} must be ${expected}`
}
