import type { Fragment } from '../catalogue/bytes.js'
import { around, okBytes, type Part, pageBytes } from '../catalogue/bytes.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type HistoryDocument, isWholeHistory, toHistory } from '../data/history.js'
import { isWholeWatchlist, toWatchlist, type WatchlistDocument } from '../data/watchlist.js'
import { found } from '../errors.js'
import type { PageMeta } from '../http/reply.js'
import { timestamp } from '../time.js'
import type { Card } from './continue-watching.js'

/** Elements each with the content that they are of. Passes over those whose content another hand has removed from the database. */
const withContents = async <T extends { content_id: number }>(
  { fragments }: Catalogue,
  elements: T[],
  parts: (element: T, content: Fragment) => Part[]
) => {
  const contents = await fragments.known(elements.map(({ content_id }) => content_id))
  return elements.flatMap((element, i) => {
    const content = contents[i]
    return content ? [parts(element, content)] : []
  })
}

/** In numbers, an id and moments nothing is to be escaped: without JSON.stringify a page is put together in two thirds of the time. */
const historyParts = (document: HistoryDocument, content: Fragment): Part[] => {
  const { _id, user_id, content_id, time, percentage, created_at, updated_at } = toHistory(document)
  const progress = `"time":${time},"percentage":${percentage},"created_at":"${created_at}","updated_at":"${updated_at}"`
  return [`{"_id":"${_id}","content":`, content.bytes, `},"user_id":${user_id},"content_id":${content_id},${progress}}`]
}
const watchlistParts = (document: WatchlistDocument, content: Fragment) => around(toWatchlist(document, content.handler_id), content)

export const historyPageBytes = async (catalogue: Catalogue, elements: HistoryDocument[], meta: PageMeta) => {
  const whole = catalogue.broken.without('history', elements, isWholeHistory)
  return pageBytes(await withContents(catalogue, whole, historyParts), meta)
}

export const historyElementBytes = async ({ fragments, broken }: Catalogue, element: HistoryDocument) => {
  const [whole] = broken.without('history', [element], isWholeHistory)
  const { content_id } = found(whole)
  const [content] = await fragments.known([content_id])
  return okBytes(historyParts(element, found(content)))
}

export const watchlistPageBytes = async (catalogue: Catalogue, elements: WatchlistDocument[], meta: PageMeta) => {
  const whole = catalogue.broken.without('watchlist', elements, isWholeWatchlist)
  return pageBytes(await withContents(catalogue, whole, watchlistParts), meta)
}

/** `elements` are what the user has begun of the cards' contents. */
export const cardsPageBytes = async (catalogue: Catalogue, cards: Card[], elements: HistoryDocument[], meta: PageMeta) => {
  const whole = catalogue.broken.without('history', elements, isWholeHistory)
  const elementOf = new Map(whole.map(element => [element.content_id, element]))
  const cardParts = ({ reason, content_id, watched_at }: Card, content: Fragment) => {
    const element = elementOf.get(content_id)
    return around({ reason }, content, { history: element ? toHistory(element) : null, updated_at: timestamp(watched_at) })
  }
  const shown = cards.filter(({ reason, content_id }) => reason === 'next' || elementOf.has(content_id))
  return pageBytes(await withContents(catalogue, shown, cardParts), meta)
}
