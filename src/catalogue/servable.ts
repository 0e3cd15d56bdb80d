import type { TSchema } from '@sinclair/typebox'
import { BSON, ObjectId } from 'mongodb'
import { RailCollection } from '../../schemas/rail-collection.js'
import { Term } from '../../schemas/term.js'
import { LegalText, SupportText } from '../../schemas/texts.js'
import { Cache } from '../cache.js'
import { isWireMoment, minutes } from '../time.js'
import { wireAjv } from '../validators.js'
import { type LegalDocument, toLegalText } from './legal-documents.js'
import type { ProgrammeDocument } from './programmes.js'
import { type RailCollectionDocument, toRail } from './rail-collections.js'
import { type SupportTextDocument, toSupportText } from './support-texts.js'
import { type TermDocument, toTerm } from './term-documents.js'

/** The wire form of a document, or undefined if it cannot be made or does not match the schema. */
export const wireFormOf =
  <Document, Wire>(schema: TSchema, toWire: (document: Document) => Wire) =>
  (document: Document): Wire | undefined => {
    // Compiled by the first document. Ajv keeps it.
    const fits = wireAjv.compile(schema)
    try {
      const wire = toWire(document)
      return fits(wire) ? wire : undefined
    } catch {
      return undefined
    }
  }

// Checks that a document has the form that an import gives it. Other software may have written it.

const termForm = wireFormOf(Term, toTerm)
const legalTextForm = wireFormOf(LegalText, toLegalText)
const supportTextForm = wireFormOf(SupportText, toSupportText)
const collectionForm = wireFormOf(RailCollection, ({ _id, rails, ...collection }: RailCollectionDocument) => ({
  ...toRail({ id: _id, ...collection }, ''),
  rails: rails.map(rail => toRail(rail, ''))
}))

/** The form that lookups use and that a header can carry. */
const isLanguage = (value: unknown) => typeof value === 'string' && /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/.test(value)

const isParameter = (value: unknown) => ['string', 'number'].includes(typeof value)

const isQuery = (query: unknown) =>
  typeof query === 'object' && query !== null && !Array.isArray(query) && Object.values(query).every(isParameter)

export const isServable = {
  terms: (term: TermDocument) => termForm(term) !== undefined,
  rail_collections: (collection: RailCollectionDocument) =>
    collectionForm(collection) !== undefined && [collection, ...collection.rails].every(({ query }) => isQuery(query)),
  legal_documents: (document: LegalDocument) => isLanguage(document._id) && legalTextForm(document) !== undefined,
  support_texts: (text: SupportTextDocument) => isLanguage(text.language) && supportTextForm(text) !== undefined,
  programmes: ({ _id, channel, starts_at, ends_at, content_id }: ProgrammeDocument) =>
    Number.isSafeInteger(_id) &&
    typeof channel === 'string' &&
    isWireMoment(starts_at) &&
    isWireMoment(ends_at) &&
    Number.isSafeInteger(content_id)
}

/** `ids` are the first of `count` documents that cannot be served. */
export type OnBroken = (collection: string, ids: (number | string)[], count: number) => void

const idsShown = 10
const longestId = 100
const repeatAfter = minutes(60)
/** Enough for about ten thousand documents. */
const cacheBytes = 2 * 1024 * 1024

const textOf = (id: unknown) => {
  if (id instanceof ObjectId) return id.toHexString()
  return typeof id === 'string' ? id : BSON.EJSON.stringify({ id })
}
const nameOf = (id: unknown) => (typeof id === 'number' ? id : textOf(id).slice(0, longestId))

/** Reports documents that cannot be served, unless each of them was already reported within the last hour. */
export class BrokenDocuments {
  private readonly reportedAt = new Cache<string, number>(cacheBytes, () => 0)

  constructor(private readonly onBroken: OnBroken) {}

  report(collection: string, ids: unknown[]) {
    const now = Date.now()
    const names = ids.map(nameOf)
    // Not `some`, which would stop at the first document and leave the others due.
    const claims = names.map(name => this.claimReport(`${collection} ${name}`, now))
    if (claims.includes(true)) this.onBroken(collection, names.slice(0, idsShown), ids.length)
  }

  /** The documents that can be served. Reports the others. */
  keepServable<Document extends { _id: unknown }>(collection: string, documents: Document[], isServable: (document: Document) => boolean) {
    const servable: Document[] = []
    const broken: unknown[] = []
    for (const document of documents) {
      if (isServable(document)) servable.push(document)
      else broken.push(document._id)
    }
    this.report(collection, broken)
    return servable
  }

  /** Whether a report is due. If so, the next one is not due for an hour. */
  private claimReport(key: string, now: number) {
    if (now - (this.reportedAt.get(key) ?? 0) < repeatAfter) return false
    this.reportedAt.set(key, now)
    return true
  }
}
