import type { ContentsQuery } from '../../schemas/contents-query.js'
import { pageMeta } from '../http/reply.js'
import type { Audience } from './audience.js'
import { contentJson, pageAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { defaultOrder, type Order } from './orders.js'
import { prefixesFor } from './words.js'

export const orderOf = ({ order_by = defaultOrder[0], order_direction }: ContentsQuery): Order => [order_by, order_direction]

/** One page of GET /contents. Only contents that are not cached are read from the database. */
export const contentsAnswer = (catalogue: Catalogue, query: ContentsQuery, audience: Audience) => {
  const { skeleton, listing, fragments } = catalogue
  const { search, page, perPage } = query
  const filter = listing.normalized(query)
  const order = orderOf(query)
  // The search index is updated after the skeleton, so its version is part of the key.
  const searched = search === undefined ? null : [search, catalogue.search.version]
  const key = JSON.stringify(['contents', filter, searched, order, page, perPage, skeleton.segment(audience)])

  const pageOf = async (matches: number[] | undefined) => {
    const { shown, total } = listing.page({ ...filter, matches }, order, audience, Date.now(), query)
    const found = await fragments.forPublicList(shown.map(row => skeleton.idOf(row)))
    return pageAnswer(found.map(contentJson), pageMeta(query, total))
  }
  if (search === undefined) return catalogue.answer(key, () => pageOf(undefined))
  return catalogue.searchAnswer(key, async () => pageOf(await catalogue.search.idsWith(prefixesFor(search))))
}
