import { Counter, type Registry } from 'prom-client'
import { durations, type Observe } from './durations.js'

/** Why a request was refused. */
type RefusalReason = 'user_limit' | 'address_limit' | 'waiting' | 'searches' | 'event_loop'

export const requestMetrics = (registry: Registry) => {
  const answered = durations(registry, 'http_request_duration_seconds', 'Duration of requests until the end of the answer')
  const refused = new Counter({
    name: 'http_refused_total',
    help: 'Requests refused by a rate limit (429), or because of too many waiting requests or searches or a delayed event loop (503). Excludes logins and timeouts',
    labelNames: ['reason'],
    registers: [registry]
  })
  return {
    /** Returns a function to call with the method, status and duration of every answer of a route. */
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
    countRefusal: (reason: RefusalReason) => refused.inc({ reason })
  }
}
