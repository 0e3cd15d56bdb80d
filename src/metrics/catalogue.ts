import { Counter, type Registry } from 'prom-client'
import type { Catalogue } from '../catalogue/catalogue.js'
import { gauge } from './gauge.js'

export const catalogueMetrics = (registry: Registry, catalogue: Catalogue) => {
  const { fragments } = catalogue
  gauge(registry, 'catalogue_contents', 'Contents that are known, deleted ones too', () => catalogue.skeleton.size)
  gauge(
    registry,
    'catalogue_unchecked_seconds',
    'Time since the catalogue was last checked for changes; beyond 60 it is not served',
    () => (Date.now() - catalogue.checkedAt) / 1000
  )
  gauge(registry, 'catalogue_cache_bytes', 'Contents kept in memory as they are sent', () => fragments.bytes)
  new Counter({
    name: 'catalogue_cache_lookups_total',
    help: 'Contents that were looked up in memory, by whether they were there',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      this.inc({ result: 'hit' }, fragments.hits)
      this.inc({ result: 'miss' }, fragments.misses)
    }
  })
}
