import type { TSchema } from '@sinclair/typebox'
import { BSON, ObjectId } from 'mongodb'
import { Cache } from '../cache.js'
import { hours } from '../time.js'
import { wireAjv } from '../validators.js'

/** The wire form of a document, or undefined if it cannot be made or does not match the schema. */
export const wireFormOf =
  <Document, Wire>(schema: TSchema, toWire: (document: Document) => Wire) =>
  (document: Document): Wire | undefined => {
    // Compiled for the first document. Ajv caches it.
    const fits = wireAjv.compile(schema)
    try {
      const wire = toWire(document)
      return fits(wire) ? wire : undefined
    } catch {
      return undefined
    }
  }

/** `ids` are the first of `count` contents that cannot be served. */
export type OnBroken = (ids: (number | string)[], count: number) => void

const idsShown = 10
const longestId = 100
const repeatAfter = hours(1)
/** Enough for about ten thousand documents. */
const cacheBytes = 2 * 1024 * 1024

const textOf = (id: unknown) => {
  if (id instanceof ObjectId) return id.toHexString()
  return typeof id === 'string' ? id : BSON.EJSON.stringify({ id })
}
const nameOf = (id: unknown) => (typeof id === 'number' ? id : textOf(id).slice(0, longestId))

/** Reports contents that cannot be served, which other software has written. Silent if each was reported within the last hour. */
export class BrokenContents {
  private readonly reportedAt = new Cache<number | string, number>(cacheBytes, () => 0)

  constructor(private readonly onBroken: OnBroken) {}

  report(ids: unknown[]) {
    const now = Date.now()
    const names = ids.map(nameOf)
    // Not `some`, which would stop at the first one, and leave the others to be reported next time.
    const claims = names.map(name => this.claimReport(name, now))
    if (claims.includes(true)) this.onBroken(names.slice(0, idsShown), ids.length)
  }

  /** Whether a report is due. If so, the next one is not due for an hour. */
  private claimReport(key: number | string, now: number) {
    if (now - (this.reportedAt.get(key) ?? 0) < repeatAfter) return false
    this.reportedAt.set(key, now)
    return true
  }
}
