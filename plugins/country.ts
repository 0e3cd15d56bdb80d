import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Country } from '../src/catalogue/country.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The caller's country, from the header that the operator has named; undefined if there is none. */
    countryOf: (request: FastifyRequest) => Country | undefined
  }
}

export default fp(
  async app => {
    const header = app.settings.COUNTRY_HEADER.toLowerCase()
    app.decorate('countryOf', ({ headers }: FastifyRequest) => {
      const country = header && String(headers[header] ?? '').toUpperCase()
      // CDNs send XX for an unknown country.
      return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : undefined
    })
  },
  { name: 'country', dependencies: ['settings'] }
)
