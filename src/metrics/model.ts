import type { Registry } from 'prom-client'
import type { Settings } from '../config.js'
import type { Learning } from '../recommendations/learning/learning.js'
import { minutes } from '../time.js'
import { gauge } from './gauge.js'

export const modelMetrics = (registry: Registry, learning: Learning, { TRAIN, TRAIN_INTERVAL }: Settings) => {
  const inUse = (name: string, help: string, read: (model: NonNullable<Learning['model']>) => number) =>
    gauge(registry, `recommendation_model_${name}`, help, () => learning.model && read(learning.model))

  inUse('age_seconds', 'Age of the recommendation model in use', ({ trained_at }) => (Date.now() - trained_at.getTime()) / 1000)
  inUse('bytes', 'Size of the recommendation model in use', ({ size }) => size)
  inUse('titles', 'Titles in the recommendation model in use', ({ summary }) => Number(summary.titles))
  inUse('training_seconds', 'How long the training of the recommendation model in use took', ({ summary }) => Number(summary.seconds))
  gauge(
    registry,
    'recommendation_training_interval_seconds',
    'Age at which the model is trained again. Missing if the service does not train',
    () => (TRAIN === 'off' ? undefined : minutes(TRAIN_INTERVAL) / 1000)
  )
}
