import type { PageQuery } from '../../schemas/page.js'
import type { TermsQuery } from '../../schemas/term.js'
import { orThrow, resourceNotFound } from '../errors.js'
import { ok, pageMeta } from '../http/reply.js'
import { jsonAnswer, pageAnswer, partsOf } from './bytes.js'
import { DictionaryColumn, distinct, type RowFilter, select } from './columns.js'
import type { Answering } from './public-responses.js'
import { fold } from './search/index.js'
import { type TermDocument, toTerm } from './term-documents.js'

interface TermsSource extends Answering {
  terms: Terms
}

export const termAnswer = (catalogue: TermsSource, id: number) => {
  // A catalogue that is out of date may lack a term, so it must not return 404.
  catalogue.assertFresh()
  const term = orThrow(catalogue.terms.byId(id), resourceNotFound)
  return catalogue.answer(`term ${id}`, () => jsonAnswer(ok(toTerm(term))))
}

/** One page of GET /terms. In the spec, its `meta` has no `total_pages`. */
export const termsAnswer = (catalogue: TermsSource, query: TermsQuery) => {
  const { terms } = catalogue
  const { order_by = 'created_at', order_direction, page, perPage } = query
  const filter = terms.normalized(query)
  const key = JSON.stringify(['terms', filter, order_by, order_direction, page, perPage])
  return catalogue.answer(key, () => {
    const { shown, total } = terms.page(filter, order_by, order_direction, query)
    const { total_pages, ...meta } = pageMeta(query, total)
    return pageAnswer(
      shown.map(term => partsOf(toTerm(term))),
      meta
    )
  })
}

const sortKeys = {
  id: (term: TermDocument) => term._id,
  name: (term: TermDocument) => fold(term.name),
  taxonomy: (term: TermDocument) => fold(term.taxonomy),
  created_at: (term: TermDocument) => term.created_at.getTime(),
  updated_at: (term: TermDocument) => term.updated_at.getTime()
}
type SortKey = keyof typeof sortKeys

/** The taxonomy terms, one row each. */
export class Terms {
  private readonly known: Map<number, TermDocument>
  private readonly taxonomy = new DictionaryColumn<string>()
  private readonly name = new DictionaryColumn<string>()
  private readonly orders = new Map<string, number[]>()

  constructor(readonly documents: readonly TermDocument[]) {
    this.known = new Map(documents.map(term => [term._id, term]))
    documents.forEach(({ taxonomy, name }, row) => {
      this.taxonomy.set(row, taxonomy, taxonomy)
      this.name.set(row, name, name)
    })
  }

  byId(id: number) {
    return this.known.get(id)
  }

  /** Makes equivalent filters equal, so that they share a cache key. */
  normalized({ taxonomy, name }: TermsQuery) {
    return {
      taxonomy: distinct(taxonomy, value => this.taxonomy.has(value)),
      name: distinct(name, value => this.name.has(value))
    }
  }

  page({ taxonomy, name }: ReturnType<Terms['normalized']>, field: SortKey, direction: TermsQuery['order_direction'], page: PageQuery) {
    const filters: RowFilter[] = []
    if (taxonomy) filters.push(this.taxonomy.anyOf(taxonomy))
    if (name) filters.push(this.name.anyOf(name))
    const { shown, total } = select(this.ordered(field, direction), filters, page)
    return { shown: shown.map(row => this.documents[row] as TermDocument), total }
  }

  private ordered(field: SortKey, direction: TermsQuery['order_direction']) {
    const sorted = this.orders.get(`${field} ${direction}`)
    if (sorted) return sorted
    const sign = direction === 'ASC' ? 1 : -1
    const key = sortKeys[field]
    const order = this.documents
      .map((term, row) => ({ row, id: term._id, key: key(term) }))
      .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.id - b.id))
      .map(({ row }) => row)
    this.orders.set(`${field} ${direction}`, order)
    return order
  }
}
