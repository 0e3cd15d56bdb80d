import { type Audience, isSuited } from '../catalogue/audience.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Hidden, WatchedColumns } from '../data/history-columns.js'
import { isStartedOrCompleted } from '../data/progress.js'

export interface InterestSettings {
  /** Percentage from which a content counts as completed. */
  completedAt: number
  /** Percentage below which a content was barely started. */
  interestFrom: number
}

/** In seconds, for players that report no percentage. */
const barelyStarted = 60

/** The interest in a content that an element of the history shows: from 0 for a barely started film to 1 for a completed one. */
export const interestOf = (time: number, percentage: number, { completedAt, interestFrom }: InterestSettings) => {
  if (percentage === 0) return time < barelyStarted ? 0 : 0.5
  return percentage < interestFrom ? 0 : Math.min(1, 0.4 + (0.6 * percentage) / completedAt)
}

/** Counts the interest in a content for its title, as an episode counts for its show. A title has the highest interest of its contents. */
export const addInterest = (titles: Map<number, number>, title: number, interest: number) => {
  // Also skips elements with a broken time or percentage, whose interest is NaN.
  if (interest > (titles.get(title) ?? 0)) titles.set(title, interest)
}

/** What the history of a user says about titles of the catalogue. Titles are rows of the skeleton. */
export interface Viewing {
  /** The interest in each title, most recently watched first. */
  titles: Map<number, number>
  /** Titles that the user has hidden or started, if only for a moment. They are not recommended. */
  excluded: Set<number>
}

export const viewingOf = (
  { skeleton, tree }: Catalogue,
  history: WatchedColumns & Hidden,
  settings: InterestSettings,
  { maxAge }: Audience
): Viewing => {
  const titles = new Map<number, number>()
  const hidden = tree.titles(history.hidden)
  const excluded = new Set(hidden)
  history.content_ids.forEach((content_id, i) => {
    const row = content_id === undefined ? undefined : skeleton.leadRow(content_id)
    if (row === undefined || !isStartedOrCompleted(history, i)) return
    const title = tree.title(row)
    if (hidden.has(title)) return
    excluded.add(title)
    // A title above the age limit is never the reason of a recommendation.
    if (!isSuited(skeleton, row, maxAge) || !isSuited(skeleton, title, maxAge)) return
    addInterest(titles, title, interestOf(history.times[i] as number, history.percentages[i] as number, settings))
  })
  return { titles, excluded }
}
