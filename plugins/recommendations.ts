import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { modelMetrics } from '../src/metrics/model.js'
import { Learning } from '../src/recommendations/learning/learning.js'
import { trainApart } from '../src/recommendations/learning/training-process.js'
import { Recommender } from '../src/recommendations/serving/recommender.js'
import { minutes, seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    recommender: Recommender
  }
}

/** What is popular is counted before the first request where that is done soon; for a large history nobody waits. */
const patience = seconds(1)

/** Recommendations learn from the histories beside the requests. */
export default fp(
  async app => {
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
          : () =>
              trainApart({
                url: settings.MONGO_URL,
                interest: { completedAt: settings.COMPLETED_AT, interestFrom: settings.INTEREST_FROM },
                memoryMb: settings.TRAIN_MEMORY_MB,
                signal: closing.signal
              }),
      trainEvery: minutes(settings.TRAIN_INTERVAL),
      trainShare: settings.TRAIN_SHARE / 100,
      onTrained: trained => log.info(trained, 'the recommendation model was trained'),
      onFailure
    })

    modelMetrics(app.metrics, learning)

    let following: Promise<void> | undefined
    app.preparations.push(async () => {
      // What is popular needs none of it: whatever is wrong with what was learnt holds up no start.
      await learning.refreshModel().catch(error => onFailure('the recommendation model could not be looked for', error))
      await Promise.race([learning.refreshPopular().catch(() => undefined), sleep(patience)])
      following = learning.follow(closing.signal)
    })
    app.addHook('onClose', async () => {
      closing.abort()
      await following
    })
    app.decorate('recommender', recommender)
  },
  { name: 'recommendations', dependencies: ['settings', 'metrics', 'mongo', 'catalogue'] }
)
