import type { Data } from '../../data/index.js'
import { addInterest, type InterestSettings, interestOf } from '../interest.js'
import type { Titles } from './titles.js'

/** Reads all histories. For each user, the interest in each title by its content id, the one watched last first. */
export async function* watchedTitles(
  { allHistories }: Pick<Data, 'allHistories'>,
  { skeleton, tree }: Titles,
  settings: InterestSettings,
  onProgress: (read: number) => void
): AsyncGenerator<Map<number, number>> {
  let titles = new Map<number, number>()
  let user: number | undefined
  let read = 0
  for await (const { user_id, content_id, time, percentage } of allHistories.byUser()) {
    if (user_id !== user) {
      if (titles.size > 0) yield titles
      titles = new Map()
      user = user_id
    }
    if (++read % 10_000 === 0) onProgress(read)
    const row = skeleton.row(content_id)
    if (row !== undefined) addInterest(titles, skeleton.idOf(tree.title(row)), interestOf(time, percentage, settings))
  }
  if (titles.size > 0) yield titles
}
