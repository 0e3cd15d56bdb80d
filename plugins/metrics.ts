import type { onResponseHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { Registry } from 'prom-client'
import { processMetrics } from '../src/metrics/process.js'
import { type RefusalReason, refusalMetrics } from '../src/metrics/refusals.js'
import { requestMetrics } from '../src/metrics/requests.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics of this app. */
    metrics: Registry
    countRefusal: (reason: RefusalReason) => void
    /** The metrics of this app and of the process, in the text format of Prometheus. */
    metricsText: () => Promise<string>
  }
}

export default fp(
  async app => {
    const registry = new Registry()
    const answersOf = requestMetrics(registry)
    app.addHook('onRoute', route => {
      const onAnswer = answersOf(route.url)
      const observe: onResponseHookHandler = ({ method }, { statusCode, elapsedTime }, done) => {
        onAnswer(method, statusCode, elapsedTime)
        done()
      }
      route.onResponse = [observe, ...[route.onResponse ?? []].flat()]
    })
    const onUnknown = answersOf('unknown')
    app.addHook('onResponse', ({ is404, method }, { statusCode, elapsedTime }, done) => {
      if (is404) onUnknown(method, statusCode, elapsedTime)
      done()
    })
    app.decorate('metrics', registry)
    app.decorate('countRefusal', refusalMetrics(registry))
    app.decorate('metricsText', async () => `${await registry.metrics()}\n${await processMetrics.metrics()}`)
  },
  { name: 'metrics' }
)
