import fp from 'fastify-plugin'
import { Catalogue } from '../src/catalogue/catalogue.js'
import { catalogueMetrics } from '../src/metrics/catalogue.js'
import { poll } from './preparation.js'

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

    const closing = new AbortController()
    app.preparations.push(async () => {
      await catalogue.refresh()
      // Only searches need the words, so the start does not wait for them. If this fails, polling tries again.
      void Promise.allSettled([catalogue.search.catchUp(catalogue.skeleton)]).then(() =>
        poll(
          () => catalogue.catchUp(),
          closing.signal,
          err => app.log.warn({ err }, 'the catalogue could not be checked for changes, trying again every second')
        )
      )
    })
    app.addHook('onClose', async () => closing.abort())

    app.decorate('catalogue', catalogue)
  },
  { name: 'catalogue', dependencies: ['metrics', 'mongo', 'preparation'] }
)
