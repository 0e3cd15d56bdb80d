import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { modelMetrics, uptakeMetrics } from '../src/metrics/recommendations.js'
import { Learning } from '../src/recommendations/learning/learning.js'
import { trainInChildProcess } from '../src/recommendations/learning/start-training.js'
import { Recommender } from '../src/recommendations/serving/recommender.js'
import { Uptake } from '../src/recommendations/serving/uptake.js'
import { minutes, seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    recommender: Recommender
    uptake: Uptake
  }
}

/** How long the start waits for the first count of popular titles, which takes longer on a large history. */
const firstCountTimeout = seconds(1)

/** Keeps the recommendations up to date in the background. */
export default fp(
  async app => {
    // Not `backgroundData`: counting and loading a model take seconds, which in its small pool would hold up /ready.
    const { settings, data, log } = app
    const recommender = new Recommender(app.catalogue)
    const closing = new AbortController()
    const onFailure = (what: string, err: unknown) => {
      if (!closing.signal.aborted) log.warn({ err }, what)
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
                signal: closing.signal
              }),
      trainEvery: minutes(settings.TRAIN_INTERVAL),
      trainShare: settings.TRAIN_SHARE / 100,
      onTrained: trained => log.info(trained, 'the recommendation model was trained'),
      onFailure
    })

    const uptake = new Uptake(app.catalogue)
    modelMetrics(app.metrics, learning, settings)
    uptakeMetrics(app.metrics, uptake)

    let following: Promise<void> | undefined
    app.preparations.push(async () => {
      // A broken model must not prevent the start: without one, popular titles are recommended.
      await learning.refreshModel().catch(error => onFailure('the recommendation model could not be read', error))
      await Promise.race([learning.refreshPopular().catch(() => undefined), sleep(firstCountTimeout)])
      following = learning.follow(closing.signal)
    })
    app.addHook('onClose', async () => {
      closing.abort()
      await following
    })
    app.decorate('recommender', recommender)
    app.decorate('uptake', uptake)
  },
  { name: 'recommendations', dependencies: ['metrics', 'mongo', 'preparation', 'catalogue'] }
)
