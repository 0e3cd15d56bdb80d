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
    const { onAnswer, onRefusal } = requestMetrics(registry)
    app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
      onAnswer(method, routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime)
      done()
    })
    app.decorate('metrics', registry)
    app.decorate('onRefusal', onRefusal)
    app.decorate('metricsText', async () => `${await registry.metrics()}\n${await processMetrics.metrics()}`)
  },
  { name: 'metrics' }
)
