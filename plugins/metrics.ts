import fp from 'fastify-plugin'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { trackedBytes } from '../src/cache.js'
import { counter, gauge } from '../src/metrics/instruments.js'

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Registry
    countRefusal: (reason: RefusalReason) => void
    /** The metrics of this app and of the process, in the Prometheus text format. */
    metricsText: () => Promise<string>
  }
}

type RefusalReason = 'user_limit' | 'address_limit' | 'in_progress' | 'searches' | 'event_loop' | 'streams'

/** Processor, memory and event loop. Shared by all apps of a process, since prom-client never removes its observers. */
const processMetrics = new Registry()
collectDefaultMetrics({ register: processMetrics })
gauge(
  processMetrics,
  'kept_bytes',
  'Size of all bounded caches together, with their keys: responses, contents, lists, tokens, callers',
  trackedBytes
)

/**
 * The registry of metrics. plugins/requests.ts measures the requests, and plugins/admission.ts those in progress; each part of the service
 * registers its own metrics.
 */
export default fp(
  async app => {
    const registry = new Registry()
    const help =
      'Requests rejected because of a rate limit (429), or because too many are in progress, too many searches wait, too many streams are open, or the event loop is delayed (503). Excludes the login limits and timeouts'
    const refused = counter(registry, 'http_refused_total', help, ['reason'])
    app.decorate('metrics', registry)
    app.decorate('countRefusal', (reason: RefusalReason) => refused.inc({ reason }))
    app.decorate('metricsText', async () => `${await registry.metrics()}\n${await processMetrics.metrics()}`)
  },
  { name: 'metrics' }
)
