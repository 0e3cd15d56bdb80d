import type { Rating } from '../../schemas/rating.js'
import { type Audience, existsFor } from '../catalogue/audience.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { HistoryColumns, Opinions } from '../viewing/history-columns.js'
import { isBegun } from '../viewing/progress.js'

export interface InterestSettings {
  /** Percentage from which an item counts as completed. */
  completedAt: number
  /** Percentage below which an item was barely started. */
  interestFrom: number
}

/** In seconds, for players that report no percentage. */
const barelyStarted = 60

/** The interest in a title that was completed or liked. */
const full = 1

const interestAt = (time: number | undefined, stored: number | undefined, { completedAt, interestFrom }: InterestSettings) => {
  const percentage = stored ?? 0
  if (percentage === 0) return (time ?? 0) < barelyStarted ? 0 : 0.5
  return percentage < interestFrom ? 0 : Math.min(full, 0.4 + (0.6 * percentage) / completedAt)
}

/** The fields of a history element that say how far the viewer got. */
export type Watched = {
  [Field in 'time' | 'percentage' | 'plays' | 'previous_time' | 'previous_percentage']?: number | undefined
}

/**
 * The interest in an item that a history element shows: from 0 for a barely started film to 1 for a completed one. The furthest position
 * counts, so that a restart does not reduce it.
 */
export const interestOf = (element: Watched, settings: InterestSettings) => {
  const { time, percentage, plays, previous_time, previous_percentage } = element
  if ((plays ?? 0) > 0) return full
  return Math.max(interestAt(time, percentage, settings), interestAt(previous_time, previous_percentage, settings))
}

/** Adds the interest in an item, such as an episode, to its title. A title has the highest interest of its items. */
export const addInterest = (titles: Map<number, number>, title: number, interest: number) => {
  // Also skips elements with a broken time or percentage, whose interest is NaN.
  if (interest > (titles.get(title) ?? 0)) titles.set(title, interest)
}

/** What the history and the ratings of a user say about titles of the catalogue. Titles are rows of the skeleton. */
export interface Viewing {
  /** The interest in each title, in the order in which they were added: most recently watched or liked first. */
  titles: Map<number, number>
  /** Titles that the user has hidden, disliked or started, if only for a moment. They are not recommended. */
  excluded: Set<number>
  /** Titles that the user has often seen but not started. They are recommended after all others. */
  faded: Set<number>
}

export const viewingOf = (
  { skeleton, tree }: Catalogue,
  history: HistoryColumns & Opinions,
  settings: InterestSettings,
  audience: Audience
): Viewing & { unwanted: Set<number> } => {
  const titles = new Map<number, number>()
  const { likes, unwanted } = opinionsOf(tree, history)
  const excluded = new Set(unwanted)
  // Since when each title has been seen but not started.
  const seen = tree.latest(history.seen)
  const now = Date.now()
  const add = (row: number, title: number, interest: number) => {
    // A title whose start date is in the future, or that is above the age limit, is never the reason for a recommendation.
    if (existsFor(skeleton, row, now, audience) && existsFor(skeleton, title, now, audience)) addInterest(titles, title, interest)
  }
  let next = 0
  const addLikes = (since: number) => {
    for (let like = likes[next]; like && like.at >= since; like = likes[++next]) add(like.title, like.title, full)
  }
  history.content_ids.forEach((content_id, i) => {
    const row = skeleton.currentRow(content_id)
    if (row === undefined) return
    const title = tree.title(row)
    // A title does not fade if it was started since, even for only a moment.
    if ((seen.get(title) ?? Number.POSITIVE_INFINITY) <= (history.updated[i] as number)) seen.delete(title)
    if (!isBegun(history, i)) return
    if (unwanted.has(title)) return
    excluded.add(title)
    addLikes(history.updated[i] as number)
    add(row, title, interestOf(watchedIn(history, i), settings))
  })
  addLikes(Number.NEGATIVE_INFINITY)
  for (const { title } of likes) seen.delete(title)
  return { titles, excluded, unwanted, faded: new Set(seen.keys()) }
}

const watchedIn = ({ times, percentages, plays, previousTimes, previousPercentages }: HistoryColumns, i: number): Watched => ({
  time: times[i],
  percentage: percentages[i],
  plays: plays[i],
  previous_time: previousTimes[i],
  previous_percentage: previousPercentages[i]
})

const isLike: Record<Rating, boolean> = { like: true, dislike: false }

interface Like {
  title: number
  at: number
}

/** The liked titles, newest first, and the unwanted ones, which the user has hidden or dislikes, and which do not count at all. */
const opinionsOf = (tree: Catalogue['tree'], { hidden, ratings }: Opinions) => {
  const unwanted = tree.titles(hidden)
  const likes: Like[] = []
  const rated = new Set<number>()
  for (const { content_id, rating, at } of ratings) {
    // A title that became part of another may have been rated differently. The newest rating counts.
    for (const title of tree.titles([content_id])) {
      if (rated.has(title)) continue
      rated.add(title)
      if (!isLike[rating]) unwanted.add(title)
      else if (!unwanted.has(title)) likes.push({ title, at })
    }
  }
  return { likes, unwanted }
}
