import { Counter, type Registry } from 'prom-client'

/** `waiting` counts refusals because of `MAX_WAITING`: too many requests are in progress. */
export type RefusalReason = 'user_limit' | 'address_limit' | 'waiting' | 'searches' | 'event_loop'

export const refusalMetrics = (registry: Registry) => {
  const refused = new Counter({
    name: 'http_refused_total',
    help: 'Requests refused over a rate limit (429), or because too many are in progress, too many searches wait, or the event loop is delayed (503). Excludes refusals by the login limits, and timeouts',
    labelNames: ['reason'],
    registers: [registry]
  })
  return (reason: RefusalReason) => refused.inc({ reason })
}
