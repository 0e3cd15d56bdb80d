import { Counter, type Registry } from 'prom-client'
import { durations, type Observe } from './durations.js'

/** Why a request was refused so that others are served. */
type Reason = 'user_limit' | 'address_limit' | 'waiting' | 'event_loop'

export const requestMetrics = (registry: Registry) => {
  const answered = durations(registry, 'http_request_duration_seconds', 'Time from a request to the end of its answer')
  const refused = new Counter({
    name: 'http_refused_total',
    help: 'Requests beyond a limit of their caller (429) or shed under load (503)',
    labelNames: ['reason'],
    registers: [registry]
  })
  return {
    /** What is to be told of the answers to a method of a route: their status, and the milliseconds that they took. */
    answersOf: (route: string) => {
      const known = new Map<string, Observe>()
      return (method: string, status: number, milliseconds: number) => {
        const key = method + status
        let observe = known.get(key)
        if (!observe) {
          observe = answered({ method, route, status })
          known.set(key, observe)
        }
        observe(milliseconds)
      }
    },
    onRefusal: (reason: Reason) => refused.inc({ reason })
  }
}
