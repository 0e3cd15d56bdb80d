import { fitsSkeleton } from '../../catalogue/fits-skeleton.js'
import { Skeleton } from '../../catalogue/skeleton.js'
import { Tree } from '../../catalogue/tree.js'
import type { Data } from '../../data/index.js'
import { addInterest, type InterestSettings, interestOf } from '../interest.js'
import { type Features, Growing, type Interactions } from '../model/index.js'
import { featuresInOrder, newcomersOf, readTitleFeatures } from './title-features.js'

export interface TrainingData {
  interactions: Interactions
  /** The content id of each item that somebody has watched, and of newcomers after them. */
  ids: Float64Array
  features: Features
}

/** Reads all histories. The items of the model are titles. */
export const readTrainingData = async (
  { allHistories, contents }: Pick<Data, 'allHistories' | 'contents'>,
  settings: InterestSettings,
  onProgress: (read: number) => void
): Promise<TrainingData> => {
  const skeleton = new Skeleton()
  for await (const content of contents.forSkeleton()) if (fitsSkeleton(content)) skeleton.put(content)
  const tree = new Tree(skeleton)

  /** The item of each title, by its row. */
  const itemOf = new Map<number, number>()
  const items = new Growing(new Uint32Array(1024))
  const weights = new Growing(new Float32Array(1024))
  const starts = new Growing(new Uint32Array(1024))
  starts.push(0)

  /** The interest of the current user in each title, the one watched last first. */
  const titles = new Map<number, number>()
  let user: number | undefined
  const close = () => {
    if (titles.size === 0) return
    for (const [title, weight] of [...titles].reverse()) {
      let item = itemOf.get(title)
      if (item === undefined) {
        item = itemOf.size
        itemOf.set(title, item)
      }
      items.push(item)
      weights.push(weight)
    }
    starts.push(items.size)
    titles.clear()
  }

  let read = 0
  for await (const { user_id, content_id, time, percentage } of allHistories.byUser()) {
    if (user_id !== user) {
      close()
      user = user_id
    }
    if (++read % 10_000 === 0) onProgress(read)
    const row = skeleton.row(content_id)
    if (row !== undefined) addInterest(titles, tree.title(row), interestOf(time, percentage, settings))
  }
  close()

  const rows = [...itemOf.keys(), ...newcomersOf(skeleton, tree, itemOf.keys())]
  return {
    interactions: { itemCount: itemOf.size, starts: starts.all, items: items.all, weights: weights.all },
    ids: Float64Array.from(rows, row => skeleton.idOf(row)),
    features: featuresInOrder(rows, await readTitleFeatures(contents, skeleton, tree))
  }
}
