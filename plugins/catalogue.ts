import fp from 'fastify-plugin'
import { Counter, type Registry } from 'prom-client'
import { Catalogue } from '../src/catalogue/catalogue.js'
import { gauge } from '../src/metrics/instruments.js'
import { seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    catalogue: Catalogue
  }
}

/** After this many failures to read the words, the service is ready without search. */
const attemptsAtStart = 5
/** More often than the catalogue is checked, so that searches find a change within two seconds. */
const wordsEvery = seconds(0.5)

/** Loads the catalogue into memory before requests are served from it, then follows the changes in the database. */
export default fp(
  async app => {
    const { CONTENT_CACHE_MB } = app.settings
    const catalogue = new Catalogue({
      data: app.pollData,
      readContents: app.data.contents.byIds,
      cacheBytes: CONTENT_CACHE_MB * 1024 * 1024,
      onBroken: (ids, count) =>
        app.log.warn({ collection: 'contents', ids, count }, `skipped contents (${count}): missing or wrong fields`),
      onSearchRefused: () => app.countRefusal('searches')
    })

    catalogueMetrics(app.metrics, catalogue)

    app.follow('the catalogue could not be checked for changes, trying again every second', () => catalogue.refresh())

    // A poll of its own: only searches need the words, and other changes do not wait for them.
    const readWords = () => catalogue.search.catchUp(catalogue.skeleton)
    let attempts = 0
    app.follow('the search index could not be updated, trying again', readWords, {
      first: async () => {
        if (attempts++ < attemptsAtStart) await readWords()
      },
      isWarmUp: true,
      every: wordsEvery
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
    'Seconds since the last successful check of the catalogue for changes, or since documents last arrived for one. Above 60, the catalogue is not served',
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
