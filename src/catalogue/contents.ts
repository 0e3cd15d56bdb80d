import type { ContentTerm } from '../../schemas/content.js'
import type { ContentsQuery } from '../../schemas/contents-query.js'
import type { Credit } from '../../schemas/people.js'
import { orThrow, resourceNotFound, unavailable } from '../errors.js'
import { pageMeta } from '../http/reply.js'
import { integerId } from '../http/requests.js'
import { answerOf } from './answers.js'
import { type Audience, segmentOf, titleFor } from './audience.js'
import { okBytes, pageAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import type { StoredCredit } from './content-documents.js'
import { contentJson, type Fragment, withFields } from './fragments.js'
import { orderOf } from './listing.js'
import type { Pause, Ranks } from './search/index.js'

/** One page of GET /contents. Only contents that are not cached are read from the database. */
export const contentsAnswer = (catalogue: Catalogue, query: ContentsQuery, audience: Audience) => {
  const { skeleton, listing, fragments } = catalogue
  const { search, order_by, page, perPage } = query
  // The search index is updated after the skeleton, so its version is part of the key.
  const searched = search === undefined ? null : [search, catalogue.search.version, order_by === undefined]
  const key = JSON.stringify([
    'contents',
    listing.normalized(query),
    searched,
    orderOf(query),
    page,
    perPage,
    segmentOf(skeleton, audience)
  ])

  const make = async () => {
    const { ids, total } = await selectContents(catalogue, query, audience, catalogue.search.pauses())
    const found = await fragments.forPublicList(ids)
    return pageAnswer(found.map(contentJson), pageMeta(query, total))
  }
  if (search === undefined) return catalogue.answer(key, make)
  if (!catalogue.search.isReady) throw unavailable()
  return catalogue.answer(key, make, job => catalogue.search.inTurn(job))
}

/** The contents on one page. Searches what is indexed so far. */
export const selectContents = async (catalogue: Catalogue, query: ContentsQuery, audience: Audience, pause: Pause) => {
  const { skeleton, terms, people, listing } = catalogue
  const { search, order_by } = query
  const now = Date.now()
  const page = (ranks?: Ranks) => listing.page(listing.normalized(query), orderOf(query), audience, now, query, ranks)
  const wanted = search === undefined ? undefined : { search, byRelevance: order_by === undefined, skeleton, terms, people }
  const { shown, total } = wanted ? await catalogue.search.find(wanted, page, pause) : page()
  return { ids: shown.map(row => skeleton.idOf(row)), total }
}

/** One content, which must be open to the caller. */
export const contentAnswer = async (catalogue: Catalogue, id: number) => {
  const [found] = await catalogue.fragments.anyForPublic([id])
  const fragment = orThrow(found, resourceNotFound)
  const credits = creditsOf(catalogue, fragment)
  return answerOf(okBytes(withFields(fragment, { terms: termsOf(catalogue, id), ...(credits.length > 0 && { credits }) })))
}

/** The terms of a content in the catalogue. Leaves out those that are not in the catalogue any more. */
const termsOf = ({ skeleton, terms }: Catalogue, id: number): ContentTerm[] =>
  skeleton.terms.get(skeleton.row(id) as number).flatMap(term => {
    const known = terms.byId(term)
    return known ? { id: known._id, name: known.name, taxonomy: known.taxonomy } : []
  })

/** The credits of a content. Leaves out people who are not in the catalogue any more. */
const creditsOf = ({ people }: Catalogue, { credits }: Fragment): Credit[] =>
  (JSON.parse(credits) as StoredCredit[]).flatMap(({ person_id, role, character }) => {
    const person = people.byId(person_id)
    return person ? { person, role, character: character ?? null } : []
  })

/** Contents by id, and all contents of the title that a content belongs to. */
interface Named {
  content_id?: number[] | undefined
  title?: number | undefined
}

/**
 * The ids under which elements of these contents may be stored. An element keeps an earlier id of its content until plugins/moving.ts moves
 * it. Undefined if nothing is named: then all are meant.
 */
export const storedIdsOf = (catalogue: Catalogue, { content_id, title }: Named) => {
  const { skeleton, tree } = catalogue
  const named = content_id && new Set(content_id.flatMap(id => skeleton.idsOf(id)))
  if (title === undefined) return named && [...named]
  catalogue.assertFresh()
  const top = tree.titleOf(title)
  const rows = top === undefined ? [] : [...tree.contents(top)]
  const ofTitle = rows.flatMap(row => skeleton.idsOf(skeleton.idOf(row)))
  return named ? ofTitle.filter(id => named.has(id)) : ofTitle
}

/** The id of the title that the content in a path belongs to. Both must exist for the audience, but may be closed or deleted. */
export const titleIdOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  catalogue.assertFresh()
  const { skeleton } = catalogue
  const title = titleFor(skeleton, orThrow(integerId(contentId), resourceNotFound), audience)
  return skeleton.idOf(orThrow(title, resourceNotFound))
}

/**
 * The ids under which elements of the title may be stored, its own first: also earlier ones, and those of a content that has become part
 * of the title since.
 */
export const storedTitleIdsOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  const title = titleIdOf(catalogue, contentId, audience)
  const { skeleton } = catalogue
  return [...new Set([title, ...skeleton.idsOf(title), ...skeleton.idsOf(Number(contentId))])] as [number, ...number[]]
}

/** The same as `titleIdOf`, if both are open. */
export const openTitleIdOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  const title = titleIdOf(catalogue, contentId, audience)
  if (!catalogue.isAvailable(Number(contentId), audience) || !catalogue.isAvailable(title, audience)) throw resourceNotFound()
  return title
}
