import type { HistoryElement, HistoryProgress } from '../../schemas/history.js'
import type { Meta } from '../../schemas/page.js'
import type { Audience } from '../catalogue/audience.js'
import { type JsonParts, jsonParts, okBytes, pageBytes } from '../catalogue/bytes.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type Fragment, withContent } from '../catalogue/fragments.js'
import { orThrow, resourceNotFound } from '../errors.js'
import { toHidden } from './hidden.js'
import { type HistoryDocument, toHistory } from './history.js'
import { toPlay } from './plays.js'
import { toRating } from './ratings.js'
import { toWatchlist, type WatchlistDocument } from './watchlist.js'

/**
 * Joins each element with its content. Skips elements whose content is missing in the database, or cannot be served; totals still count
 * them.
 */
export const withContents = async <T extends { content_id: number }, Joined>(
  { fragments }: Catalogue,
  elements: T[],
  join: (element: T, content: Fragment) => Joined
) => {
  const contents = await fragments.load(elements.map(({ content_id }) => content_id))
  return elements.flatMap((element, i) => {
    const content = contents[i]
    return content ? [join(element, content)] : []
  })
}

/**
 * The fields of an element as JSON, before and after its content. JSON.stringify would take four times as long. No string here needs
 * escaping.
 */
export const historyFields = (progress: HistoryProgress) => {
  const { _id, user_id, content_id, time, percentage, plays, watched_at, previous, created_at, updated_at, ...unsent } = progress
  // Does not compile if the schema has a field that the strings below lack.
  unsent satisfies Record<string, never>
  const watched = watched_at === null ? 'null' : `"${watched_at}"`
  const position = previous === null ? 'null' : JSON.stringify(previous)
  const progressed = `"time":${time},"percentage":${percentage},"plays":${plays},"watched_at":${watched},"previous":${position}`
  return {
    before: `"_id":"${_id}"`,
    after: `"user_id":${user_id},"content_id":${content_id},${progressed},"created_at":"${created_at}","updated_at":"${updated_at}"`
  }
}

const historyParts = (document: HistoryDocument, content: Fragment) => {
  const { before, after } = historyFields(toHistory(document))
  // The content's bytes lack its closing brace.
  return jsonParts<HistoryElement>(['{', before, ',"content":', content.bytes, '},', after, '}'])
}
export const watchlistParts = (document: WatchlistDocument, content: Fragment) =>
  withContent(toWatchlist(document, content.handler_id), content)
/** The parts of an element without an id of its own. */
const titleParts =
  <Document, Element extends { content_id: number }>(toElement: (document: Document) => Element) =>
  (document: Document, content: Fragment) => {
    const { content_id, ...more } = toElement(document)
    return withContent({ content_id }, content, more)
  }

/** Returns a function that turns a page of a list into JSON. */
const pageWriter =
  <Document extends { content_id: number }, Element>(toParts: (document: Document, content: Fragment) => JsonParts<Element>) =>
  async (catalogue: Catalogue, elements: Document[], meta: Meta) =>
    pageBytes(await withContents(catalogue, elements, toParts), meta)

export const historyPageBytes = pageWriter(historyParts)
export const watchlistPageBytes = pageWriter(watchlistParts)
export const hiddenPageBytes = pageWriter(titleParts(toHidden))
export const ratingsPageBytes = pageWriter(titleParts(toRating))
export const playsPageBytes = pageWriter(titleParts(toPlay))

export const historyElementBytes = async (catalogue: Catalogue, element: HistoryDocument, audience: Audience) => {
  const { content_id } = element
  if (catalogue.ageFilterFor(audience)?.(content_id) === false) throw resourceNotFound()
  const [content] = await catalogue.fragments.load([content_id])
  return okBytes(historyParts(element, orThrow(content, resourceNotFound)))
}
