import { Counter, type Registry } from 'prom-client'

export type RefusalReason = 'user_limit' | 'address_limit' | 'waiting' | 'searches' | 'event_loop'

export const refusalMetrics = (registry: Registry) => {
  const refused = new Counter({
    name: 'http_refused_total',
    help: 'Requests refused by a rate limit (429), or because of too many waiting requests or searches or a delayed event loop (503). Excludes logins and timeouts',
    labelNames: ['reason'],
    registers: [registry]
  })
  return (reason: RefusalReason) => refused.inc({ reason })
}
