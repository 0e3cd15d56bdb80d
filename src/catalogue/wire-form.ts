import type { TSchema } from '@sinclair/typebox'
import { wireAjv } from '../validators.js'

/** The wire form of a document, or undefined if it cannot be made or does not match the schema. */
export const wireFormOf =
  <Document, Wire>(schema: TSchema, toWire: (document: Document) => Wire) =>
  (document: Document): Wire | undefined => {
    const fits = wireAjv.compile(schema)
    try {
      const wire = toWire(document)
      return fits(wire) ? wire : undefined
    } catch {
      return undefined
    }
  }
