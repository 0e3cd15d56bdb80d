import type { Changes } from '../../schemas/changes.js'
import type { Audience } from '../catalogue/audience.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Data } from '../database/data.js'
import { days } from '../time.js'
import type { ViewerList } from '../viewing/lists.js'
import { anyTitle, type ListElement, wireContentId } from '../viewing/lists.js'
import { withContents } from '../viewing/viewer-bytes.js'
import { eachList } from '../viewing/viewer-lists.js'
import { type ChangeCursor, cursorAt, cursorText, firstPosition, hasReadAll, readCursor } from './change-cursor.js'
import { type Change, changeOverlap } from './changed-elements.js'

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
    const { time, source, id, content_id } = last
    return { ...from, position: { time, source, id, content_id }, rereadFrom }
  }
  return cursorAt(from.user, rereadFrom || completeUntil, from.maxAge)
}

/** While nothing changes, the caller's cursor is returned unchanged, but only for this long, so that it does not become too old. */
const cursorReusedFor = days(1)

const isUpToDate = async (data: Sources['data'], cursor: ChangeCursor) =>
  hasReadAll(cursor) && cursor.began > Date.now() - cursorReusedFor && (await data.changes.isQuiet(cursor.user, cursor.position))

type Answer = Pick<Changes, 'cursor' | 'more' | 'reset'>

interface Question {
  user: number
  audience: Audience
  since: string | undefined
  perPage: number
  overlap?: number
  restoredAt?: number
  /** Whether something has certainly changed, so that it is not checked first. */
  hasNews?: boolean
}

export const changesPage = async (
  { catalogue, data }: Sources,
  { user, audience, since, perPage, overlap = changeOverlap, restoredAt = 0, hasNews = false }: Question
): Promise<Changes> => {
  const { maxAge } = audience
  const known = since === undefined ? undefined : readCursor(since, { user, maxAge, restoredAt })
  if (known && !hasNews && (await isUpToDate(data, known)))
    return changesIn(catalogue, [], emptyLists(), { cursor: cursorText(known), more: false, reset: false })
  const isFirst = known?.isFirst ?? true
  const { asOf, changes } = await data.changes.after(user, known?.position ?? firstPosition, perPage + 1, { isFirst })
  // All changes that are dated before this are visible by now.
  const completeUntil = asOf - overlap
  // A first reading goes by the elements' own dates and finds no removals, so the next one starts from when it began.
  const from = known ?? { ...cursorAt(user, completeUntil, maxAge), isFirst, rereadFrom: completeUntil }
  const more = changes.length > perPage
  const page = changes.slice(0, perPage)
  const isShown = catalogue.ageFilterFor(audience)
  const shown = isShown ? page.filter(({ element: { content_id } }) => content_id === anyTitle || isShown(content_id)) : page

  return changesIn(catalogue, shown, await removedFrom(data, user, shown), {
    cursor: cursorText(cursorAfter(from, page, more, completeUntil)),
    // A first reading of several pages may have taken so long that there are changes by now.
    more: more || (known?.isFirst ?? false),
    reset: since !== undefined && !known
  })
}

type Removed = Record<ViewerList, Set<number>>

const emptyLists = () => Object.fromEntries(eachList.map(({ name }) => [name, new Set<number>()])) as Removed

/** The content ids removed from each list, except those that have been added again. */
const removedFrom = async ({ changes }: Sources['data'], user: number, page: Change[]) => {
  const removed = emptyLists()
  for (const { from, element } of page) {
    if (from !== 'removals') continue
    const { list, content_id } = element
    if (content_id > 0 || content_id === anyTitle) removed[list].add(content_id)
  }
  for (const { list, content_id } of await changes.present(user, removed)) removed[list].delete(content_id)
  return removed
}

const changesIn = async (catalogue: Catalogue, page: Change[], removed: Removed, answer: Answer) => {
  const lists: Record<string, object[]> = {}
  for (const list of eachList) {
    const { name } = list
    const changed = new Map<number, ListElement>()
    for (const { from, element } of page) if (from === name) changed.set(element.content_id, element)
    // Removed since the page was read.
    for (const id of removed[name]) changed.delete(id)
    const elements = [...changed.values()]
    lists[name] = list.namesVideo
      ? await withContents(catalogue, elements, (element, { handler_id }) => list.toEntry(element, handler_id))
      : elements.map(element => list.toEntry(element))
  }
  const ids = Object.fromEntries(eachList.map(({ name }) => [name, [...removed[name]].map(wireContentId)]))
  // Complete, because `viewerLists` has every list of `Changes`.
  return { ...lists, removed: ids, ...answer } as unknown as Changes
}
