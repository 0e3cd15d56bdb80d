import type { TSchema } from '@sinclair/typebox'
import Ajv, { type ValidateFunction } from 'ajv'

const ajv = new Ajv.default({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/ } })

/** Gives the wire form of a document; undefined where it has none, or another one than its schema documents. */
export const wireFormOf = <Document, Wire>(schema: TSchema, toWire: (document: Document) => Wire) => {
  let fits: ValidateFunction | undefined
  return (document: Document): Wire | undefined => {
    fits ??= ajv.compile(schema)
    try {
      const wire = toWire(document)
      return fits(wire) ? wire : undefined
    } catch {
      return undefined
    }
  }
}
