import { LegalText } from '../../schemas/legal-text.js'
import { RailCollection } from '../../schemas/rail-collection.js'
import { SupportText } from '../../schemas/support-text.js'
import { Term } from '../../schemas/term.js'
import { type LegalDocument, toLegalText } from '../data/legal-documents.js'
import type { ProgrammeDocument } from '../data/programmes.js'
import { type RailCollectionDocument, toRail } from '../data/rail-collections.js'
import { type SupportTextDocument, toSupportText } from '../data/support-texts.js'
import { type TermDocument, toTerm } from '../data/terms.js'
import { isWireMoment } from '../time.js'
import { wireFormOf } from './wire-form.js'

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
