import fp from 'fastify-plugin'
import { Catalogue } from '../src/catalogue/catalogue.js'
import { follow } from '../src/follow.js'
import { catalogueMetrics } from '../src/metrics/catalogue.js'

declare module 'fastify' {
  interface FastifyInstance {
    catalogue: Catalogue
  }
}

/** The catalogue in memory, read before the first request and kept up with the database. */
export default fp(
  async app => {
    const { CONTENT_CACHE_MB } = app.settings
    const catalogue = new Catalogue({
      data: app.backgroundData,
      readContents: app.data.contents.byIds,
      cacheBytes: CONTENT_CACHE_MB * 1024 * 1024,
      onBroken: (collection, ids, count) =>
        app.log.warn({ collection, ids, count }, `skipped ${count} of ${collection} with missing or wrong fields`)
    })

    catalogueMetrics(app.metrics, catalogue)

    const closing = new AbortController()
    app.preparations.push(async () => {
      await catalogue.refresh()
      void follow(
        () => catalogue.catchUp(),
        closing.signal,
        err => app.log.warn({ err }, 'the catalogue could not be checked for changes, trying on')
      )
    })
    app.addHook('onClose', async () => closing.abort())

    app.decorate('catalogue', catalogue)
  },
  { name: 'catalogue', dependencies: ['settings', 'metrics', 'mongo'] }
)
