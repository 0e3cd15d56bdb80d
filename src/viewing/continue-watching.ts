import type { Audience } from '../catalogue/audience.js'
import { isOpen } from '../catalogue/availability.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type HistoryColumns, isStarted } from '../data/history-columns.js'
import { isWireMoment } from '../time.js'

export interface Card {
  reason: 'resume' | 'next'
  content_id: number
  /** When any part of the title was last watched. */
  watched_at: Date
}

interface WatchState {
  history: HistoryColumns
  /** The titles that the user has hidden. They have no card. */
  hidden: number[]
  /** When each title was dismissed. */
  dismissed: Map<number, number>
  /** Titles that were not watched since then have no card. */
  since?: number | undefined
  completedAt: number
  audience: Audience
}

/** One card per title, most recently watched first: the content in progress, or the next one after a completed content. */
export const continueWatching = (
  { skeleton, tree }: Pick<Catalogue, 'skeleton' | 'tree'>,
  { history, hidden, dismissed, since = Number.NEGATIVE_INFINITY, completedAt, audience }: WatchState
): Card[] => {
  const { content_ids, percentages, plays, updated } = history
  const now = Date.now()
  const playsOf = new Map(content_ids.map((content_id, i) => [content_id, plays[i] as number]))
  const isShown = (row: number) => isOpen(skeleton, row, now, audience)

  /** The first later content that was completed less often, so that a show that is watched again goes on, too. */
  const nextAfter = (row: number, times: number) => {
    for (const next of tree.after(row)) if ((playsOf.get(skeleton.idOf(next)) ?? 0) < times && isShown(next)) return next
    return undefined
  }

  const seen = tree.titles(hidden)
  return content_ids.flatMap((content_id, i): Card[] => {
    const row = skeleton.row(content_id)
    const watched_at = updated[i]
    if (row === undefined || !isWireMoment(watched_at) || !isStarted(history, i)) return []
    if (!skeleton.isSuited(row, audience.maxAge)) return []
    const title = tree.title(row)
    if (seen.has(title)) return []
    seen.add(title)
    if (watched_at.getTime() < since || (dismissed.get(skeleton.idOf(title)) ?? 0) >= watched_at.getTime()) return []
    const isCompleted = (percentages[i] as number) >= completedAt
    const proposed = isCompleted ? nextAfter(row, plays[i] as number) : isShown(row) ? row : undefined
    if (proposed === undefined) return []
    return [{ reason: isCompleted ? 'next' : 'resume', content_id: skeleton.idOf(proposed), watched_at }]
  })
}
