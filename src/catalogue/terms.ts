import type { TermsQuery } from '../../schemas/terms-query.js'
import { type TermDocument, toTerm } from '../data/terms.js'
import { onPage, pageMeta } from '../reply.js'
import { fold } from '../words.js'
import { pageBytes } from './bytes.js'

const sortKeys = {
  id: (term: TermDocument) => term._id,
  name: (term: TermDocument) => fold(term.name),
  taxonomy: (term: TermDocument) => fold(term.taxonomy),
  created_at: (term: TermDocument) => term.created_at.getTime(),
  updated_at: (term: TermDocument) => term.updated_at.getTime()
}

/** One page of GET /terms; its meta has no `total_pages` in the spec. */
export const termsPage = (terms: TermDocument[], query: TermsQuery) => {
  const { taxonomy, name, order_by = 'created_at', order_direction } = query
  const sign = order_direction === 'ASC' ? 1 : -1
  const key = sortKeys[order_by]
  const sorted = terms
    .filter(term => (taxonomy?.includes(term.taxonomy) ?? true) && (name?.includes(term.name) ?? true))
    .map(term => ({ term, key: key(term) }))
    .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.term._id - b.term._id))
  const { total_pages, ...meta } = pageMeta(query, sorted.length)
  const shown = onPage(sorted, query).map(({ term }) => [JSON.stringify(toTerm(term))])
  return pageBytes(shown, meta)
}
