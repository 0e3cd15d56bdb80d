import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { Counter, type Registry } from 'prom-client'
import { reasonTypes } from '../schemas/recommendation.js'
import type { Settings } from '../src/config.js'
import { gauge } from '../src/metrics/instruments.js'
import { Learning } from '../src/recommendations/learning/learning.js'
import { trainInChildProcess } from '../src/recommendations/learning/start-training.js'
import { Recommender } from '../src/recommendations/serving/recommender.js'
import { Uptake } from '../src/recommendations/serving/uptake.js'
import { minutes, seconds } from '../src/time.js'
import { Unwanted } from '../src/viewing/unwanted.js'

declare module 'fastify' {
  interface FastifyInstance {
    recommender: Recommender
    uptake: Uptake
    unwanted: Unwanted
  }
}

/** How long the start waits for the first count of popular titles, which takes longer on a large history. */
const firstCountTimeout = seconds(1)

/** Keeps the recommendations up to date in the background. */
export default fp(
  async app => {
    const { settings, jobData: data, log, closing } = app
    const recommender = new Recommender(app.catalogue)
    app.catalogue.views = recommender.popular
    const onFailure = (what: string, err: unknown) => {
      if (!closing.aborted) log.warn({ err }, what)
    }
    const learning = new Learning({
      data,
      recommender,
      train:
        settings.TRAIN === 'off'
          ? undefined
          : ({ holder }) =>
              trainInChildProcess({
                url: settings.MONGO_URL,
                interest: { completedAt: settings.COMPLETED_AT, interestFrom: settings.INTEREST_FROM },
                memoryMb: settings.TRAIN_MEMORY_MB,
                holder,
                signal: closing
              }),
      trainEvery: minutes(settings.TRAIN_INTERVAL),
      trainShare: settings.TRAIN_SHARE / 100,
      onTrained: trained => log.info(trained, 'the recommendation model was trained'),
      onFailure
    })

    const uptake = new Uptake(app.catalogue)
    modelMetrics(app.metrics, learning, settings)
    uptakeMetrics(app.metrics, uptake)

    app.preparations.push(async () => {
      // A broken model must not prevent the start: without one, popular titles are recommended.
      await learning.refreshModel().catch(error => onFailure('the recommendation model could not be read', error))
      await Promise.race([learning.refreshPopular().catch(() => undefined), sleep(firstCountTimeout)])
      app.inBackground(learning.follow(closing))
    })
    app.decorate('recommender', recommender)
    app.decorate('uptake', uptake)
    app.decorate('unwanted', new Unwanted())
  },
  { name: 'recommendations', dependencies: ['metrics', 'mongo', 'preparation', 'catalogue'] }
)

const modelMetrics = (registry: Registry, learning: Learning, { TRAIN, TRAIN_INTERVAL }: Settings) => {
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

const uptakeMetrics = (registry: Registry, uptake: Uptake) => {
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
  counter(
    'recommendations_shown_total',
    'Titles recommended to users by this process, or seen if their app reports it, by reason, each at most once a day',
    uptake.shown
  )
  counter(
    'recommendations_begun_total',
    'Titles that users began within a day after this process recommended them, by reason',
    uptake.begun
  )
}
