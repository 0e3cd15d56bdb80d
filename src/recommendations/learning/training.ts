import type { Data } from '../../data/index.js'
import { type Model, train } from '../model/index.js'
import type { InterestSettings } from '../serving/interest.js'
import { modelFormat, packed } from '../serving/model.js'
import { readEvents } from './events.js'

export interface Trained extends Pick<Model, 'settings' | 'quality' | 'popularity'> {
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

/** Learns from all histories and stores the model, which every running server takes up. */
export const trainModel = async (
  data: Pick<Data, 'contents' | 'history' | 'models'>,
  interest: InterestSettings,
  onProgress: (progress: TrainingProgress) => void = () => {}
): Promise<Trained> => {
  const began = performance.now()
  const elements = await data.history.size()
  const { interactions, ids } = await readEvents(data, interest, done => onProgress({ step: 'read', done, total: elements }))
  // What comes next is what is asked of it here.
  const { neighbours, settings, quality, popularity } = train(interactions, { holdOut: 'newest', onProgress })
  const trained = {
    users: interactions.starts.length - 1,
    titles: ids.length,
    events: interactions.items.length,
    settings,
    quality,
    popularity,
    seconds: Math.round((performance.now() - began) / 100) / 10
  }
  const bytes = packed({ ids, halfLife: settings.halfLife, neighbours })
  await data.models.save({ format: modelFormat, elements, summary: { ...trained } }, bytes)
  return trained
}
