import { Counter, type Registry } from 'prom-client'
import { reasonTypes } from '../../schemas/recommendation.js'
import type { Settings } from '../config.js'
import type { Learning } from '../recommendations/learning/learning.js'
import type { Uptake } from '../recommendations/serving/uptake.js'
import { minutes } from '../time.js'
import { gauge } from './instruments.js'

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

export const uptakeMetrics = (registry: Registry, uptake: Uptake) => {
  const counter = (name: string, help: string, counts: Uptake['shown']) =>
    new Counter({
      name,
      help,
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        this.reset()
        for (const reason of reasonTypes) this.inc({ reason }, counts[reason])
      }
    })
  counter('recommendations_shown_total', 'Titles recommended to users by this process, by reason, each at most once a day', uptake.shown)
  counter(
    'recommendations_begun_total',
    'Titles that users began within a day after this process recommended them, by reason',
    uptake.begun
  )
}
