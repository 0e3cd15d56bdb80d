import type { TSchema } from '@sinclair/typebox'
import type { ErrorObject } from 'ajv'
import { type ImportKind, importRecords } from '../../../schemas/import.js'
import { inputAjv } from '../../validation/ajv.js'
import { rule } from '../../validation/rules.js'

/** The faults of a record by field. Nothing is coerced. */
export const faultsOf = (kind: ImportKind, record: unknown): Map<string, string> | undefined => {
  const validate = inputAjv.compile(importRecords[kind])
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

/** Decodes a part of a JSON pointer. */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

const reasonOf = ({ keyword, propertyName, parentSchema }: ErrorObject, kind: ImportKind) => {
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') return `is not a field of ${kind}`
  const must = `must be ${rule(parentSchema as TSchema)}`
  return propertyName === undefined ? must : `${JSON.stringify(propertyName)} ${must}`
}
