import type { Data } from '../../data/index.js'
import type { InterestSettings } from '../interest.js'
import { type Features, Growing, type Interactions } from '../model/index.js'
import { featuresInOrder, newcomersOf, readTitleFeatures } from './title-features.js'
import { readTitles, watchedTitles } from './watched-titles.js'

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
  const catalogue = await readTitles(contents)
  const { skeleton, tree } = catalogue
  /** The item of each title, by its row. */
  const itemOf = new Map<number, number>()
  const items = new Growing(new Uint32Array(1024))
  const weights = new Growing(new Float32Array(1024))
  const starts = new Growing(new Uint32Array(1024))
  starts.push(0)

  for await (const titles of watchedTitles(allHistories, catalogue, settings, onProgress)) {
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
  }

  const rows = [...itemOf.keys(), ...newcomersOf(skeleton, tree, itemOf.keys())]
  return {
    interactions: { itemCount: itemOf.size, starts: starts.all, items: items.all, weights: weights.all },
    ids: Float64Array.from(rows, row => skeleton.idOf(row)),
    features: featuresInOrder(rows, await readTitleFeatures(contents, skeleton, tree))
  }
}
