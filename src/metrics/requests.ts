import { Counter, Histogram, type Registry } from 'prom-client'
import { durations } from './durations.js'

/** Why a request was refused so that others are served. */
type Reason = 'user_limit' | 'address_limit' | 'waiting' | 'event_loop'

export const requestMetrics = (registry: Registry) => {
  const answered = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: durations,
    registers: [registry]
  })
  const refused = new Counter({
    name: 'http_refused_total',
    help: 'Requests beyond a limit of their caller (429) or shed under load (503)',
    labelNames: ['reason'],
    registers: [registry]
  })
  return {
    onAnswer: (method: string, route: string, status: number, milliseconds: number) =>
      answered.observe({ method, route, status }, milliseconds / 1000),
    onRefusal: (reason: Reason) => refused.inc({ reason })
  }
}
