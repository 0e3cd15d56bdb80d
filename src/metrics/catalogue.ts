import { Counter, type Registry } from 'prom-client'
import type { Catalogue } from '../catalogue/catalogue.js'
import { gauge } from './instruments.js'

export const catalogueMetrics = (registry: Registry, catalogue: Catalogue) => {
  const { fragments } = catalogue
  const began = Date.now()
  gauge(registry, 'catalogue_contents', 'Contents in memory, including deleted ones', () => catalogue.skeleton.size)
  gauge(
    registry,
    'catalogue_unchecked_seconds',
    'Seconds since the last check of the catalogue for changes, or since the start. Above 60, it is not served',
    () => (Date.now() - Math.max(began, catalogue.checkedAt)) / 1000
  )
  gauge(registry, 'catalogue_cache_bytes', 'Size of the content cache', () => fragments.bytes)
  new Counter({
    name: 'catalogue_cache_lookups_total',
    help: 'Lookups in the content cache, by hit or miss',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      this.inc({ result: 'hit' }, fragments.hits)
      this.inc({ result: 'miss' }, fragments.misses)
    }
  })
}
