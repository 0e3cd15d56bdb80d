import type { TermsQuery } from '../../schemas/terms-query.js'
import { toTerm } from '../data/terms.js'
import { orThrow, termNotFound } from '../errors.js'
import { ok, pageMeta } from '../http/reply.js'
import { json, jsonAnswer, pageAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'

export const termAnswer = (catalogue: Catalogue, id: number) => {
  // A catalogue that is out of date may lack a term, so it must not answer with a 404.
  catalogue.assertFresh()
  const term = orThrow(catalogue.terms.byId(id), termNotFound)
  return catalogue.answer(`term ${id}`, () => jsonAnswer(ok(toTerm(term))))
}

/** One page of GET /terms. In the spec, its meta has no `total_pages`. */
export const termsAnswer = (catalogue: Catalogue, query: TermsQuery) => {
  const { terms } = catalogue
  const { order_by = 'created_at', order_direction, page, perPage } = query
  const filter = terms.normalized(query)
  const key = JSON.stringify(['terms', filter, order_by, order_direction, page, perPage])
  return catalogue.answer(key, () => {
    const { shown, total } = terms.page(filter, order_by, order_direction, query)
    const { total_pages, ...meta } = pageMeta(query, total)
    return pageAnswer(
      shown.map(term => json(toTerm(term))),
      meta
    )
  })
}
