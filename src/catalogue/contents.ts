import type { ContentsQuery } from '../../schemas/contents-query.js'
import { pageMeta } from '../reply.js'
import { soughtIn } from '../words.js'
import type { Country } from './availability.js'
import { pageBytes, whole } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { defaultOrder } from './orders.js'

/** One page of GET /contents. Only contents that are not in memory ask the database. */
export const contentsPage = async ({ skeleton, listing, fragments, search: index }: Catalogue, query: ContentsQuery, country: Country) => {
  const { type, parent_id, terms, ids, search, order_by = defaultOrder[0], order_direction, page, perPage } = query
  const matches = search === undefined ? undefined : await index.idsWith(soughtIn(search))
  const rows = listing.rows({ type, parent_id, terms, ids, matches }, [order_by, order_direction], country, Date.now())
  const shown = Array.from(rows.subarray((page - 1) * perPage, page * perPage), row => skeleton.idOf(row))
  return pageBytes((await fragments.of(shown)).map(whole), pageMeta(query, rows.length))
}
