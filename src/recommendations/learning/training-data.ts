import type { Data } from '../../data/index.js'
import type { InterestSettings } from '../interest.js'
import { type Features, Growing, type Interactions } from '../model/index.js'
import { featuresInOrder, newcomersOf, readTitleFeatures } from './title-features.js'
import { readTitles } from './titles.js'
import { watchedTitles } from './watched-titles.js'

interface TrainingData {
  interactions: Interactions
  /** The content id of each item that somebody has watched, and of newcomers after them. */
  ids: Float64Array
  features: Features
}

/** Reads all histories. The items of the model are titles. */
export const readTrainingData = async (
  data: Pick<Data, 'allHistories' | 'contents'>,
  settings: InterestSettings,
  onProgress: (read: number) => void
): Promise<TrainingData> => {
  const all = await readTitles(data.contents)
  /** The item of each title, by its content id. */
  const itemOf = new Map<number, number>()
  const items = new Growing(new Uint32Array(1024))
  const weights = new Growing(new Float32Array(1024))
  const starts = new Growing(new Uint32Array(1024))
  starts.push(0)

  for await (const titles of watchedTitles(data, all, settings, onProgress)) {
    for (const [id, weight] of [...titles].reverse()) {
      const item = itemOf.get(id) ?? itemOf.size
      itemOf.set(id, item)
      items.push(item)
      weights.push(weight)
    }
    starts.push(items.size)
  }

  const ids = [...itemOf.keys(), ...newcomersOf(all, itemOf)]
  return {
    interactions: { itemCount: itemOf.size, starts: starts.all, items: items.all, weights: weights.all },
    ids: Float64Array.from(ids),
    features: featuresInOrder(ids, await readTitleFeatures(data.contents, all))
  }
}
