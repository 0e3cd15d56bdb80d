import type { Data } from '../../database/data.js'
import type { Lease } from '../../database/leases.js'
import type { InterestSettings } from '../interest.js'
import { type Model, type Quality, train, withNewcomers } from '../model/index.js'
import { modelFormat, packed } from '../stored-model.js'
import { readTrainingData } from './training-data.js'

export interface Trained extends Pick<Model, 'learned' | 'quality'> {
  /** The quality of recommending by popularity alone. */
  popularity: Quality
  /** The quality of the model before this one. Missing for the first model. */
  before?: Quality
  users: number
  titles: number
  events: number
  seconds: number
}

export interface TrainingProgress {
  step: 'read' | 'choose' | 'train'
  done: number
  total: number
}

/** Trains a model on all histories and stores it. Every running process then loads it. */
export const trainModel = async (
  data: Pick<Data, 'allHistories' | 'contents' | 'recommendationModels'>,
  interest: InterestSettings,
  onProgress: (progress: TrainingProgress) => void = () => {},
  confirm?: Lease['confirm']
): Promise<Trained> => {
  const began = performance.now()
  const elements = await data.allHistories.estimatedSize()
  const { interactions, ids, features } = await readTrainingData(data, interest, done =>
    onProgress({ step: 'read', done, total: elements })
  )
  const model = train(interactions, { onProgress })
  const { learned, quality, baseline } = model
  const latest = await data.recommendationModels.latest(modelFormat)
  const trained = {
    users: interactions.starts.length - 1,
    titles: interactions.itemCount,
    events: interactions.items.length,
    learned,
    quality,
    popularity: baseline,
    ...(latest && { before: latest.summary.quality as Quality }),
    seconds: Math.round((performance.now() - began) / 100) / 10
  }
  const bytes = packed({ ids, watchedCount: interactions.itemCount, ...withNewcomers(model, features) })
  await data.recommendationModels.save({ format: modelFormat, elements, summary: { ...trained } }, bytes, confirm)
  return trained
}
