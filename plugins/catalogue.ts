import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Catalogue } from '../src/catalogue/catalogue.js'
import type { Country } from '../src/catalogue/country.js'
import { follow } from '../src/follow.js'
import { catalogueMetrics } from '../src/metrics/catalogue.js'

declare module 'fastify' {
  interface FastifyInstance {
    catalogue: Catalogue
    /** The caller's country, where the operator names a header for it and it holds one. */
    countryOf: (request: FastifyRequest) => Country
  }
}

/** The catalogue in memory, read before the first request and kept up with the database. */
export default fp(
  async app => {
    const { COUNTRY_HEADER, CONTENT_CACHE_MB } = app.settings
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

    const header = COUNTRY_HEADER.toLowerCase()
    app.decorate('catalogue', catalogue)
    app.decorate('countryOf', ({ headers }: FastifyRequest) => {
      const country = header && String(headers[header] ?? '').toUpperCase()
      // CDNs say XX for what they do not know.
      return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : undefined
    })
  },
  { name: 'catalogue', dependencies: ['settings', 'metrics', 'mongo'] }
)
