import fp from 'fastify-plugin'
import { Counter, type Registry } from 'prom-client'
import { Catalogue } from '../src/catalogue/catalogue.js'
import { gauge } from '../src/metrics/instruments.js'

declare module 'fastify' {
  interface FastifyInstance {
    catalogue: Catalogue
  }
}

/** Loads the catalogue into memory before the first request, then follows the changes in the database. */
export default fp(
  async app => {
    const { CONTENT_CACHE_MB } = app.settings
    const catalogue = new Catalogue({
      data: app.backgroundData,
      readContents: app.data.contents.byIds,
      cacheBytes: CONTENT_CACHE_MB * 1024 * 1024,
      onBroken: (collection, ids, count) =>
        app.log.warn({ collection, ids, count }, `skipped documents of ${collection} (${count}): missing or wrong fields`),
      onSearchRefused: () => app.countRefusal('searches')
    })

    catalogueMetrics(app.metrics, catalogue)

    let isReading = false
    const readWords = async () => {
      if (isReading) return
      isReading = true
      try {
        await catalogue.search.catchUp(catalogue.skeleton)
      } catch (err) {
        if (!app.isDraining) app.log.warn({ err }, 'the words of changed contents could not be read for searches, trying again')
      } finally {
        isReading = false
      }
    }
    app.follow('the catalogue could not be checked for changes, trying again every second', async () => {
      await catalogue.refresh()
      // Only searches need the words, so neither the start nor the next check waits for them. That one reads what has changed meanwhile.
      void readWords()
    })

    app.decorate('catalogue', catalogue)
  },
  { name: 'catalogue', dependencies: ['metrics', 'mongo', 'preparation'] }
)

const catalogueMetrics = (registry: Registry, catalogue: Catalogue) => {
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
