import type { Catalogue } from '../../catalogue/catalogue.js'
import { isStarted, type WholeHistory } from '../../data/history.js'
import { addInterest, type InterestSettings, interestOf } from '../interest.js'

/** What the history of a user says about titles of the catalogue. Titles are rows of the skeleton. */
export interface Viewing {
  /** The interest in each title, most recently watched first. */
  titles: Map<number, number>
  /** Titles that the user has started, if only for a moment. */
  started: Set<number>
}

export const viewingOf = ({ skeleton, tree }: Catalogue, history: WholeHistory, settings: InterestSettings): Viewing => {
  const titles = new Map<number, number>()
  const started = new Set<number>()
  history.content_ids.forEach((content_id, i) => {
    const row = skeleton.row(content_id)
    if (row === undefined || !(isStarted(history, i) || history.plays[i])) return
    const title = tree.title(row)
    started.add(title)
    addInterest(titles, title, interestOf(history.times[i] as number, history.percentages[i] as number, settings))
  })
  return { titles, started }
}
