import type { Catalogue } from '../../catalogue/catalogue.js'
import type { WholeHistory } from '../../data/history.js'
import { type InterestSettings, interestOf } from './interest.js'

/** What a user has to do with the titles of the catalogue. */
export interface Viewing {
  /** Titles that tell of interest, the one watched last first, and how much. */
  titles: Map<number, number>
  /** Titles of which something was begun. */
  begun: Set<number>
}

/** By rows of the skeleton. What is watched of a show counts for the show. */
export const viewingOf = ({ skeleton, tree }: Catalogue, history: WholeHistory, settings: InterestSettings): Viewing => {
  const titles = new Map<number, number>()
  const begun = new Set<number>()
  history.content_ids.forEach((content_id, i) => {
    const row = skeleton.row(content_id)
    const time = history.times[i] as number
    const percentage = history.percentages[i] as number
    if (row === undefined || (!time && !percentage)) return
    const title = tree.title(row)
    begun.add(title)
    const interest = interestOf(time, percentage, settings)
    if (interest > 0) titles.set(title, Math.max(titles.get(title) ?? 0, interest))
  })
  return { titles, begun }
}
