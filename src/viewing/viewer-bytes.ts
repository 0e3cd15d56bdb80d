import type { HistoryElement } from '../../schemas/history.js'
import type { Meta } from '../../schemas/page.js'
import type { Audience } from '../catalogue/audience.js'
import { type Fragment, type JsonParts, jsonParts, okBytes, pageBytes, withContent } from '../catalogue/bytes.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type HiddenDocument, isServableHidden, toHidden } from '../data/hidden.js'
import { type HistoryDocument, isServableHistory, toHistory } from '../data/history.js'
import { isServableWatchlist, toWatchlist, type WatchlistDocument } from '../data/watchlist.js'
import { historyElementNotFound, orThrow } from '../errors.js'
import { timestamp } from '../time.js'
import type { Card } from './continue-watching.js'

/** Joins each element with its content. Skips elements whose content is no longer in the database. */
const withContents = async <T extends { content_id: number }, Element>(
  { fragments }: Catalogue,
  elements: T[],
  parts: (element: T, content: Fragment) => JsonParts<Element>
) => {
  const contents = await fragments.of(elements.map(({ content_id }) => content_id))
  return elements.flatMap((element, i) => {
    const content = contents[i]
    return content ? [parts(element, content)] : []
  })
}

/** None of these fields needs escaping. With JSON.stringify, a page takes 1.5 times as long. */
const historyParts = (document: HistoryDocument, content: Fragment) => {
  const { _id, user_id, content_id, time, percentage, plays, watched_at, created_at, updated_at, ...unsent } = toHistory(document)
  // Fails to compile when the schema has a field that the parts below lack.
  unsent satisfies Record<string, never>
  const watched = watched_at === null ? 'null' : `"${watched_at}"`
  const progress = `"time":${time},"percentage":${percentage},"plays":${plays},"watched_at":${watched}`
  return jsonParts<HistoryElement>([
    `{"_id":"${_id}","content":`,
    content.bytes,
    `},"user_id":${user_id},"content_id":${content_id},${progress},"created_at":"${created_at}","updated_at":"${updated_at}"}`
  ])
}
export const watchlistParts = (document: WatchlistDocument, content: Fragment) =>
  withContent(toWatchlist(document, content.handler_id), content)
const hiddenParts = (document: HiddenDocument, content: Fragment) => {
  const { content_id, created_at } = toHidden(document)
  return withContent({ content_id }, content, { created_at })
}

export const historyPageBytes = async (catalogue: Catalogue, elements: HistoryDocument[], meta: Meta) => {
  const servable = catalogue.broken.keepServable('history', elements, isServableHistory)
  return pageBytes(await withContents(catalogue, servable, historyParts), meta)
}

export const historyElementBytes = async (catalogue: Catalogue, element: HistoryDocument, audience: Audience) => {
  const { fragments, broken } = catalogue
  const [servable] = broken.keepServable('history', [element], isServableHistory)
  const { content_id } = orThrow(servable, historyElementNotFound)
  if (catalogue.suitedTo(audience)?.(content_id) === false) throw historyElementNotFound()
  const [content] = await fragments.of([content_id])
  return okBytes(historyParts(element, orThrow(content, historyElementNotFound)))
}

export const watchlistPageBytes = async (catalogue: Catalogue, elements: WatchlistDocument[], meta: Meta) => {
  const servable = catalogue.broken.keepServable('watchlist', elements, isServableWatchlist)
  return pageBytes(await withContents(catalogue, servable, watchlistParts), meta)
}

export const hiddenPageBytes = async (catalogue: Catalogue, elements: HiddenDocument[], meta: Meta) => {
  const servable = catalogue.broken.keepServable('hidden', elements, isServableHidden)
  return pageBytes(await withContents(catalogue, servable, hiddenParts), meta)
}

/** A card with the history of its content. */
export type CardWithHistory = Card & { element: HistoryDocument | undefined }

/** Joins the cards with the history of their contents. Skips a card to resume if its element is gone or cannot be served. */
export const cardsWithHistory = ({ broken }: Catalogue, cards: Card[], elements: HistoryDocument[]): CardWithHistory[] => {
  const servable = broken.keepServable('history', elements, isServableHistory)
  const elementOf = new Map(servable.map(element => [element.content_id, element]))
  return cards
    .map(card => ({ ...card, element: elementOf.get(card.content_id) }))
    .filter(({ reason, element }) => reason === 'next' || element !== undefined)
}

export const cardParts = ({ reason, updated_at, element }: CardWithHistory, content: Fragment) =>
  withContent({ reason }, content, { history: element ? toHistory(element) : null, updated_at: timestamp(updated_at) })

/** `elements` is the history of the cards' contents. */
export const cardsPageBytes = async (catalogue: Catalogue, cards: Card[], elements: HistoryDocument[], meta: Meta) =>
  pageBytes(await withContents(catalogue, cardsWithHistory(catalogue, cards, elements), cardParts), meta)
