import type { Changes } from '../../schemas/changes.js'
import type { Audience } from '../catalogue/audience.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type Change, changeOverlap } from '../data/changes.js'
import { isServableHidden, toHidden } from '../data/hidden.js'
import { isServableHistory, toHistory } from '../data/history.js'
import type { Data } from '../data/index.js'
import type { ViewerList } from '../data/removals.js'
import { isServableWatchlist, toWatchlist } from '../data/watchlist.js'
import { days } from '../time.js'
import { type ChangeCursor, cursorAt, cursorText, firstPosition, hasReadAll, readCursor } from './change-cursor.js'

interface Sources {
  catalogue: Catalogue
  data: Pick<Data, 'changes'>
}

/**
 * The cursor after a page. In the middle of a reading, it continues after the last change. At the end, it goes back to the
 * `completeUntil` of the first page that had later changes, because others of that time may have become visible after the page was read.
 * If no page had later changes, it continues from the `completeUntil` of the last page.
 */
const cursorAfter = (from: ChangeCursor, page: Change[], more: boolean, completeUntil: number): ChangeCursor => {
  const last = page.at(-1)
  const rereadFrom = from.rereadFrom || (last && last.time > completeUntil ? completeUntil : 0)
  if (more && last) {
    const { time, source, id, offset } = last
    return { ...from, position: { time, source, id, offset }, rereadFrom }
  }
  return cursorAt(from.user, rereadFrom || completeUntil, from.maxAge)
}

/** The changes of a list, by content. */
const elementsOf = <L extends ViewerList>(page: Change[], wanted: L) => {
  type Element = Extract<Change, { list: L }>['element']
  return new Map(page.flatMap(({ list, element }) => (list === wanted ? [[element.content_id, element as Element] as const] : [])))
}

/** While nothing changes, the caller's cursor is returned as it is, but not for longer than this, or it would become too old. */
const cursorReusedFor = days(1)

const isUpToDate = async (data: Sources['data'], cursor: ChangeCursor) =>
  hasReadAll(cursor) && cursor.began > Date.now() - cursorReusedFor && (await data.changes.isQuiet(cursor.user, cursor.position))

const nothingNew = (cursor: ChangeCursor): Changes => ({
  history: [],
  watchlist: [],
  hidden: [],
  removed: { history: [], watchlist: [], hidden: [] },
  cursor: cursorText(cursor),
  more: false,
  reset: false
})

interface Question {
  user: number
  audience: Audience
  since: string | undefined
  perPage: number
  overlap?: number
  restoredAt?: number
}

export const changesPage = async (
  { catalogue, data }: Sources,
  { user, audience, since, perPage, overlap = changeOverlap, restoredAt = 0 }: Question
): Promise<Changes> => {
  const { maxAge } = audience
  const known = since === undefined ? undefined : readCursor(since, { user, maxAge, restoredAt })
  if (known && (await isUpToDate(data, known))) return nothingNew(known)
  const isFirst = known?.isFirst ?? true
  const { asOf, changes } = await data.changes.after(user, known?.position ?? firstPosition, perPage + 1, { isFirst })
  // All changes that are dated before this are visible by now.
  const completeUntil = asOf - overlap
  // A first reading goes by the elements' own dates and finds no removals, so the next one starts from the time at which it began.
  const from = known ?? { ...cursorAt(user, completeUntil, maxAge), isFirst, rereadFrom: completeUntil }
  const more = changes.length > perPage
  const page = changes.slice(0, perPage)
  const isSuited = catalogue.suitedTo(audience)
  const shown = isSuited ? page.filter(({ element }) => isSuited(element.content_id)) : page

  const removed = await removedFrom(data, user, shown)
  const lists = {
    history: elementsOf(shown, 'history'),
    watchlist: elementsOf(shown, 'watchlist'),
    hidden: elementsOf(shown, 'hidden')
  }
  // Removed since the page was read.
  for (const [list, content_ids] of Object.entries(removed)) for (const id of content_ids) lists[list as ViewerList].delete(id)

  const { broken, fragments } = catalogue
  const history = broken.keepServable('history', [...lists.history.values()], isServableHistory)
  const hidden = broken.keepServable('hidden', [...lists.hidden.values()], isServableHidden)
  const watchlist = broken.keepServable('watchlist', [...lists.watchlist.values()], isServableWatchlist)
  const contents = await fragments.of(watchlist.map(({ content_id }) => content_id))
  return {
    history: history.map(toHistory),
    watchlist: watchlist.flatMap((element, i) => {
      const content = contents[i]
      return content ? [toWatchlist(element, content.handler_id)] : []
    }),
    hidden: hidden.map(toHidden),
    removed,
    cursor: cursorText(cursorAfter(from, page, more, completeUntil)),
    // A first reading of several pages may have taken so long that there are changes by now.
    more: more || (known?.isFirst ?? false),
    reset: since !== undefined && !known
  }
}

/** The removed contents of each list, except those that have been added again. */
const removedFrom = async ({ changes }: Sources['data'], user: number, page: Change[]) => {
  const removed = { history: new Set<number>(), watchlist: new Set<number>(), hidden: new Set<number>() }
  const asked = new Map<ViewerList, number[]>()
  for (const { list, element } of page) {
    if (list !== 'removals' || !Number.isSafeInteger(element.content_id) || element.content_id < 1) continue
    removed[element.list].add(element.content_id)
  }
  for (const [list, content_ids] of Object.entries(removed)) if (content_ids.size > 0) asked.set(list as ViewerList, [...content_ids])
  for (const { list, content_id } of await changes.present(user, asked)) removed[list].delete(content_id)
  return { history: [...removed.history], watchlist: [...removed.watchlist], hidden: [...removed.hidden] }
}
