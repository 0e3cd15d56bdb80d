import type { ContinueWatchingCard } from '../../schemas/continue-watching.js'
import type { Meta } from '../../schemas/page.js'
import { type Audience, isAvailable, isWithinAge } from '../catalogue/audience.js'
import { jsonParts, pageBytes } from '../catalogue/bytes.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Fragment } from '../catalogue/fragments.js'
import { timestamp } from '../time.js'
import { type HistoryDocument, toHistory } from './history.js'
import type { HistoryColumns } from './history-columns.js'
import { isCompleted, isResumable } from './progress.js'
import { historyFields, withContents } from './viewer-bytes.js'

interface Card {
  reason: 'resume' | 'next'
  content_id: number
  /** When any part of the title was last watched, or when the next part became available if that was later. In milliseconds. */
  updated_at: number
  /** For `next`: whether the part became available after the last report of its title. */
  is_new?: boolean
}

interface WatchState {
  history: HistoryColumns
  /** The titles that the user has hidden. They have no card. */
  hidden: number[]
  dismissed: Map<number, number>
  /** Leaves out cards whose `updated_at` is older. In milliseconds. */
  since?: number | undefined
  /** Leaves out cards with other reasons. */
  reasons?: Card['reason'][] | undefined
  completedAt: number
  audience: Audience
}

/** How often each item was completed. An item may have several elements until those of its earlier ids are moved. */
const playsByRow = (rows: (number | undefined)[], plays: (number | undefined)[]) => {
  const sums = new Map<number, number>()
  rows.forEach((row, i) => {
    const times = plays[i] as number
    if (row !== undefined && times > 0) sums.set(row, (sums.get(row) ?? 0) + times)
  })
  return sums
}

/** One card per title, latest first: the item in progress, or the one after a completed item. */
export const continueWatching = (
  { skeleton, tree }: Pick<Catalogue, 'skeleton' | 'tree'>,
  { history, hidden, dismissed, since = Number.NEGATIVE_INFINITY, reasons = ['resume', 'next'], completedAt, audience }: WatchState
): Card[] => {
  const { content_ids, percentages, plays, updated } = history
  const now = Date.now()
  const rows = content_ids.map(id => skeleton.currentRow(id))
  const playsOf = playsByRow(rows, plays)
  const dismissedAt = tree.latest(dismissed)
  const isShown = (row: number) => isAvailable(skeleton, row, now, audience)

  /** The first later item that was completed fewer than `times` times, so that cards also follow a show that is watched again. */
  const nextAfter = (row: number, times: number) => {
    for (const next of tree.after(row)) if ((playsOf.get(next) ?? 0) < times && isShown(next)) return next
    return undefined
  }

  const cardOf = (row: number, i: number): Card | undefined => {
    const updated_at = updated[i] as number
    if (!isCompleted(percentages[i], completedAt))
      return isShown(row) ? { reason: 'resume', content_id: skeleton.idOf(row), updated_at } : undefined
    const next = nextAfter(row, playsOf.get(row) as number)
    if (next === undefined) return undefined
    // A new episode moves its show to the front.
    const opened = skeleton.starts.raw(next)
    return { reason: 'next', content_id: skeleton.idOf(next), updated_at: Math.max(updated_at, opened), is_new: opened > updated_at }
  }

  const mayHaveCard = (row: number, i: number) => isResumable(history, i) && isWithinAge(skeleton, row, audience.maxAge)

  const handled = tree.titles(hidden)
  const cards: Card[] = []
  rows.forEach((row, i) => {
    if (row === undefined || !mayHaveCard(row, i)) return
    const title = tree.title(row)
    if (handled.has(title)) return
    handled.add(title)
    const isDismissed = (dismissedAt.get(title) ?? 0) >= (updated[i] as number)
    const card = isDismissed ? undefined : cardOf(row, i)
    if (card && card.updated_at >= since && reasons.includes(card.reason)) cards.push(card)
  })
  return cards.sort((one, other) => other.updated_at - one.updated_at)
}

export type CardWithHistory = Card & { element: HistoryDocument | undefined }

/** Joins the cards with the history of their items. Skips a `resume` card whose element is gone. */
export const cardsWithHistory = ({ skeleton }: Catalogue, cards: Card[], elements: HistoryDocument[]): CardWithHistory[] => {
  const elementOf = new Map<number, HistoryDocument>()
  for (const element of elements) {
    const content_id = skeleton.currentId(element.content_id)
    const other = elementOf.get(content_id)
    if (!other || other.updated_at < element.updated_at)
      elementOf.set(content_id, element.content_id === content_id ? element : { ...element, content_id })
  }
  return cards
    .map(card => ({ ...card, element: elementOf.get(card.content_id) }))
    .filter(({ reason, element }) => reason === 'next' || element !== undefined)
}

const beginning = { time: 0, percentage: 0 }

/** Joins strings, because JSON.stringify would take three times as long. */
export const cardParts = ({ reason, updated_at, is_new, element }: CardWithHistory, content: Fragment, completedAt: number) => {
  const history = element && toHistory(element)
  const isUnfinished = history && !isCompleted(history.percentage, completedAt)
  const { time, percentage } = isUnfinished ? (history.previous ?? history) : beginning
  const fields = history && historyFields(history)
  // Does not compile if the schema has a field that is missing here.
  const texts: Record<Exclude<keyof ContinueWatchingCard, 'content'>, string> = {
    reason: `"${reason}"`,
    history: fields ? `{${fields.before},${fields.after}}` : 'null',
    resume: `{"time":${time},"percentage":${percentage}}`,
    updated_at: `"${timestamp(new Date(updated_at))}"`,
    is_new: is_new === undefined ? '' : `,"is_new":${is_new}`
  }
  return jsonParts<ContinueWatchingCard>([
    `{"reason":${texts.reason},"content":`,
    content.bytes,
    `},"history":${texts.history},"resume":${texts.resume},"updated_at":${texts.updated_at}${texts.is_new}}`
  ])
}

/** `elements` is the history of the cards' items. */
export const cardsPageBytes = async (
  catalogue: Catalogue,
  cards: Card[],
  elements: HistoryDocument[],
  { meta, completedAt }: { meta: Meta; completedAt: number }
) => {
  const join = (card: CardWithHistory, content: Fragment) => cardParts(card, content, completedAt)
  return pageBytes(await withContents(catalogue, cardsWithHistory(catalogue, cards, elements), join), meta)
}
