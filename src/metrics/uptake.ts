import { Counter, type Registry } from 'prom-client'
import { reasons, type Uptake } from '../recommendations/serving/uptake.js'

export const uptakeMetrics = (registry: Registry, uptake: Uptake) => {
  const counter = (name: string, help: string, counts: Uptake['shown']) =>
    new Counter({
      name,
      help,
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        this.reset()
        for (const reason of reasons) this.inc({ reason }, counts[reason])
      }
    })
  counter('recommendations_shown_total', 'Titles recommended to users by this process, by reason, each at most once a day', uptake.shown)
  counter(
    'recommendations_begun_total',
    'Titles that users began within a day after this process recommended them, by reason',
    uptake.begun
  )
}
