import { isOpen } from '../catalogue/availability.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Country } from '../catalogue/country.js'
import { isStarted, type WholeHistory } from '../data/history.js'
import { isWireMoment } from '../time.js'

export interface Card {
  reason: 'resume' | 'next'
  content_id: number
  /** When any part of the title was last watched. */
  watched_at: Date
}

interface WatchState {
  history: WholeHistory
  /** The titles that the user has hidden. They have no card. */
  hidden: number[]
  /** When each title was dismissed. */
  dismissed: Map<number, number>
  completedAt: number
  country: Country | undefined
}

/** One card per title, most recently watched first: the content in progress, or the next one after a completed content. */
export const continueWatching = (
  { skeleton, tree }: Catalogue,
  { history, hidden, dismissed, completedAt, country }: WatchState
): Card[] => {
  const { content_ids, percentages, updated } = history
  const now = Date.now()
  const completed = new Set(content_ids.filter((_, i) => (percentages[i] as number) >= completedAt))

  const cardOf = (row: number, watched_at: Date): Card | undefined => {
    const content_id = skeleton.idOf(row)
    if (!completed.has(content_id)) return isOpen(skeleton, row, now, country) ? { reason: 'resume', content_id, watched_at } : undefined
    for (const next of tree.after(row)) {
      const content_id = skeleton.idOf(next)
      if (!completed.has(content_id) && isOpen(skeleton, next, now, country)) return { reason: 'next', content_id, watched_at }
    }
    return undefined
  }

  const seen = tree.titles(hidden)
  return content_ids.flatMap((content_id, i) => {
    const row = skeleton.row(content_id)
    const watched_at = updated[i]
    if (row === undefined || !isWireMoment(watched_at) || !isStarted(history, i)) return []
    const title = tree.title(row)
    if (seen.has(title)) return []
    seen.add(title)
    if ((dismissed.get(skeleton.idOf(title)) ?? 0) >= watched_at.getTime()) return []
    return cardOf(row, watched_at) ?? []
  })
}
