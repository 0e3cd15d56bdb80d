import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Country } from '../src/catalogue/country.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The caller's country, where the operator names a header for it and it holds one. */
    countryOf: (request: FastifyRequest) => Country
  }
}

export default fp(
  async app => {
    const header = app.settings.COUNTRY_HEADER.toLowerCase()
    app.decorate('countryOf', ({ headers }: FastifyRequest) => {
      const country = header && String(headers[header] ?? '').toUpperCase()
      // CDNs say XX for what they do not know.
      return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : undefined
    })
  },
  { name: 'country', dependencies: ['settings'] }
)
