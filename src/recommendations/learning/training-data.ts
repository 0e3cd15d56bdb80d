import type { Data } from '../../data/index.js'
import type { InterestSettings } from '../interest.js'
import { Growing, type Interactions } from '../model/index.js'
import { watchedTitles } from './watched-titles.js'

export interface TrainingData {
  interactions: Interactions
  /** The content id of each item. */
  ids: Float64Array
}

/** Reads all histories. The items of the model are titles. */
export const readTrainingData = async (
  data: Pick<Data, 'allHistories' | 'contents'>,
  settings: InterestSettings,
  onProgress: (read: number) => void
): Promise<TrainingData> => {
  const itemOf = new Map<number, number>()
  const ids: number[] = []
  const items = new Growing(new Uint32Array(1024))
  const weights = new Growing(new Float32Array(1024))
  const starts = new Growing(new Uint32Array(1024))
  starts.push(0)

  for await (const titles of watchedTitles(data, settings, onProgress)) {
    for (const [id, weight] of [...titles].reverse()) {
      let item = itemOf.get(id)
      if (item === undefined) {
        item = ids.push(id) - 1
        itemOf.set(id, item)
      }
      items.push(item)
      weights.push(weight)
    }
    starts.push(items.size)
  }

  return {
    interactions: { itemCount: ids.length, starts: starts.all, items: items.all, weights: weights.all },
    ids: Float64Array.from(ids)
  }
}
