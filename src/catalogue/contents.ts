import type { ContentsQuery } from '../../schemas/contents-query.js'
import { contentNotFound, orThrow } from '../errors.js'
import { pageMeta } from '../http/reply.js'
import { integerId } from '../http/requests.js'
import { answerOf } from './answers.js'
import { type Audience, isSuited, segmentOf } from './audience.js'
import { contentJson, okBytes, pageAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { orderOf } from './listing.js'
import { prefixesFor } from './words.js'

/** One page of GET /contents. Only contents that are not cached are read from the database. */
export const contentsAnswer = (catalogue: Catalogue, query: ContentsQuery, audience: Audience) => {
  const { skeleton, listing, fragments } = catalogue
  const { search, page, perPage } = query
  const filter = listing.normalized(query)
  const order = orderOf(query)
  // The search index is updated after the skeleton, so its version is part of the key.
  const searched = search === undefined ? null : [search, catalogue.search.version]
  const key = JSON.stringify(['contents', filter, searched, order, page, perPage, segmentOf(skeleton, audience)])

  const pageOf = async (matches: number[] | undefined) => {
    const { shown, total } = listing.page({ ...filter, matches }, order, audience, Date.now(), query)
    const found = await fragments.forPublicList(shown.map(row => skeleton.idOf(row)))
    return pageAnswer(found.map(contentJson), pageMeta(query, total))
  }
  if (search === undefined) return catalogue.answer(key, () => pageOf(undefined))
  return catalogue.searchAnswer(key, async () => pageOf(await catalogue.search.idsWith(prefixesFor(search))))
}

/** One content, if it is open to the audience. */
export const contentAnswer = async (catalogue: Catalogue, id: number, audience: Audience) => {
  if (!catalogue.isOpen(id, audience)) throw contentNotFound()
  const [fragment] = await catalogue.fragments.of([id])
  return answerOf(okBytes(contentJson(orThrow(fragment, contentNotFound))))
}

/** The id of the title that the content in a path belongs to. The content may be closed or deleted, but must be within the age limit. */
export const titleIdOf = (catalogue: Catalogue, contentId: string, { maxAge }: Audience) => {
  catalogue.assertFresh()
  const { skeleton, tree } = catalogue
  const row = orThrow(skeleton.leadRow(orThrow(integerId(contentId), contentNotFound)), contentNotFound)
  if (!isSuited(skeleton, row, maxAge)) throw contentNotFound()
  return skeleton.idOf(tree.title(row))
}

/** The same, if both are open. */
export const openTitleIdOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  const title = titleIdOf(catalogue, contentId, audience)
  if (!catalogue.isOpen(Number(contentId), audience) || !catalogue.isOpen(title, audience)) throw contentNotFound()
  return title
}
