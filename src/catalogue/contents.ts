import type { ContentTerm } from '../../schemas/content.js'
import type { ContentsQuery, RailQuery } from '../../schemas/contents-query.js'
import type { Credit } from '../../schemas/people.js'
import { orThrow, resourceNotFound, unavailable } from '../errors.js'
import { pageMeta } from '../http/reply.js'
import { integerId } from '../http/requests.js'
import { type Audience, existsFor, titleFor } from './audience.js'
import { okBytes, pageAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import type { RowFilter } from './columns.js'
import type { StoredCredit } from './content-documents.js'
import { contentJson, type Fragment, withFields } from './fragments.js'
import { orderOf } from './listing.js'
import { type RunInTurn, ValidCache, withETag } from './public-responses.js'
import type { Pause, Ranks } from './search/index.js'

/** One page of GET /contents. Only contents that are not cached are read from the database. */
export const contentsAnswer = (catalogue: Catalogue, query: ContentsQuery, audience: Audience) => {
  const make = async () => pageOf(catalogue, query, await selectContents(catalogue, query, audience, catalogue.search.pauses()))
  return catalogue.answer(keyOf(catalogue, query, audience), make, turnFor(catalogue, query))
}

const keyOf = ({ listing, search: { version } }: Catalogue, query: ContentsQuery, audience: Audience) => {
  const { search, order_by, page, perPage } = query
  // The search index is updated after the skeleton, so its version is part of the key.
  const searched = search === undefined ? null : [search, version, order_by === undefined]
  return JSON.stringify(['contents', listing.normalized(query), searched, page, perPage, listing.keyOf(orderOf(query), audience)])
}

interface Selected {
  ids: number[]
  total: number
}

const pageOf = async ({ fragments }: Catalogue, query: ContentsQuery, { ids, total }: Selected) => {
  const found = await fragments.forPublicList(ids)
  return pageAnswer(found.map(contentJson), pageMeta(query, total))
}

/** Searches have a queue of their own. */
const turnFor = ({ search, pacer }: Catalogue, query: ContentsQuery): RunInTurn => {
  if (query.search === undefined) return job => pacer.run(job)
  if (!search.isReady) throw unavailable()
  return job => search.inTurn(job)
}

/** Returns which rows may be listed. Called when the list is made, because rows are only valid until the skeleton is replaced. */
export type Among = () => RowFilter

/** A subset of the contents. Equal digests mean equal subsets, as long as the catalogue is the same. */
export interface Only {
  digest: string
  among: Among
}

/** In bytes. There is one list for each page that a viewer has requested. */
const listsSize = 4 * 1024 * 1024
const bytesOfId = 8
const overhead = 200

/** Pages of GET /contents for single viewers, each of a subset of the contents. */
export class ViewerContents {
  private readonly lists = new ValidCache<Selected>(listsSize, ({ ids }) => overhead + bytesOfId * ids.length)

  constructor(private readonly catalogue: Catalogue) {}

  async page(query: ContentsQuery, audience: Audience, { digest, among }: Only) {
    const { catalogue, lists } = this
    const key = `${keyOf(catalogue, query, audience)} ${digest}`
    const make = async () => {
      const value = await selectContents(catalogue, { ...query, among }, audience, catalogue.search.pauses())
      return { value, isKept: true }
    }
    const selected = await lists.get(key, catalogue.selectionValidity(), make, turnFor(catalogue, query))
    return (await pageOf(catalogue, query, selected)).bytes
  }
}

/** The contents on one page. A search covers what has been indexed so far. */
export const selectContents = async (
  catalogue: Catalogue,
  query: RailQuery & { among?: Among | undefined },
  audience: Audience,
  pause: Pause
): Promise<Selected> => {
  const { skeleton, terms, people, listing } = catalogue
  const { search, order_by, among } = query
  const now = Date.now()
  const filter = { ...listing.normalized(query), among: among?.() }
  const page = (ranks?: Ranks) => listing.page(filter, orderOf(query), audience, now, query, ranks)
  const wanted = search === undefined ? undefined : { search, byRelevance: order_by === undefined, skeleton, terms, people }
  const { shown, total } = wanted ? await catalogue.search.find(wanted, page, pause) : page()
  return { ids: shown.map(row => skeleton.idOf(row)), total }
}

/** One item, which must be available to the caller. */
export const contentAnswer = async (catalogue: Catalogue, id: number) => {
  const [found] = await catalogue.fragments.anyForPublic([id])
  const fragment = orThrow(found, resourceNotFound)
  const credits = creditsOf(catalogue, fragment)
  return withETag(okBytes(withFields(fragment, { terms: termsOf(catalogue, id), ...(credits.length > 0 && { credits }) })))
}

/** The terms of an item in the catalogue. Leaves out terms that are no longer in the catalogue. */
const termsOf = ({ skeleton, terms }: Catalogue, id: number): ContentTerm[] =>
  skeleton.terms.get(skeleton.row(id) as number).flatMap(term => {
    const known = terms.byId(term)
    return known ? { id: known._id, name: known.name, taxonomy: known.taxonomy } : []
  })

/** The credits of an item. Leaves out people who are no longer in the catalogue. */
const creditsOf = ({ people }: Catalogue, { credits }: Fragment): Credit[] =>
  (JSON.parse(credits) as StoredCredit[]).flatMap(({ person_id, role, character }) => {
    const person = people.byId(person_id)
    return person ? { person, role, character: character ?? null } : []
  })

/** Contents by id, or all contents of the title that an item belongs to. */
interface Named {
  content_id?: number[] | undefined
  title?: number | undefined
}

/**
 * The ids under which elements of these contents may be stored. An element keeps an earlier id until plugins/moving.ts moves it. Undefined
 * if nothing is named; then nothing is filtered.
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

/** The id of the title that the item in a path belongs to. Both must exist for the audience, but may be unavailable or deleted. */
export const titleIdOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  catalogue.assertFresh()
  const { skeleton } = catalogue
  const title = titleFor(skeleton, orThrow(integerId(contentId), resourceNotFound), audience)
  return skeleton.idOf(orThrow(title, resourceNotFound))
}

/** The same as `titleIdOf`, but the title may not have started yet: what is watched of it already has a card. */
export const cardTitleIdOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  catalogue.assertFresh()
  const { skeleton, tree } = catalogue
  const row = skeleton.currentRow(orThrow(integerId(contentId), resourceNotFound))
  if (row === undefined || !existsFor(skeleton, row, Date.now(), audience)) throw resourceNotFound()
  return skeleton.idOf(tree.title(row))
}

/**
 * The ids under which elements of the title may be stored, its own first. They include earlier ids, and those of an item that has since
 * become part of the title.
 */
export const storedTitleIdsOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  const title = titleIdOf(catalogue, contentId, audience)
  const { skeleton } = catalogue
  return [...new Set([title, ...skeleton.idsOf(title), ...skeleton.idsOf(Number(contentId))])] as [number, ...number[]]
}

/** The same as `titleIdOf`, but both must be available. An earlier id is not. */
export const openTitleIdOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  const title = titleIdOf(catalogue, contentId, audience)
  if (!catalogue.isAvailable(Number(contentId), audience) || !catalogue.isAvailable(title, audience)) throw resourceNotFound()
  return title
}
