import type { onResponseHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { Registry } from 'prom-client'
import { processMetrics } from '../src/metrics/process.js'
import { requestMetrics } from '../src/metrics/requests.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the parts of this app tell of themselves. */
    metrics: Registry
    onRefusal: ReturnType<typeof requestMetrics>['onRefusal']
    /** All of it and what the process tells, as Prometheus reads it. */
    metricsText: () => Promise<string>
  }
}

export default fp(
  async app => {
    const registry = new Registry()
    const { answersOf, onRefusal } = requestMetrics(registry)
    app.addHook('onRoute', route => {
      const onAnswer = answersOf(route.url)
      const tell: onResponseHookHandler = ({ method }, { statusCode, elapsedTime }, done) => {
        onAnswer(method, statusCode, elapsedTime)
        done()
      }
      route.onResponse = [tell, ...[route.onResponse ?? []].flat()]
    })
    const onUnknown = answersOf('unknown')
    app.addHook('onResponse', ({ is404, method }, { statusCode, elapsedTime }, done) => {
      if (is404) onUnknown(method, statusCode, elapsedTime)
      done()
    })
    app.decorate('metrics', registry)
    app.decorate('onRefusal', onRefusal)
    app.decorate('metricsText', async () => `${await registry.metrics()}\n${await processMetrics.metrics()}`)
  },
  { name: 'metrics' }
)
