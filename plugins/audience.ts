import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Audience, Country } from '../src/catalogue/audience.js'
import { profileHeader } from '../src/identity/chosen-profiles.js'
import { hasProvider } from '../src/identity/token-settings.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The country and the age limit that decide which contents the caller may see. */
    audienceOf: (request: FastifyRequest) => Audience
    /** The request headers that the audience depends on, for `Vary`. */
    audienceHeaders: string[]
  }
}

/** Works out the audience of a request: the country, from the header that the operator has named, and the viewer's age limit. */
export default fp(
  async app => {
    const { COUNTRY_HEADER } = app.settings
    const header = COUNTRY_HEADER.toLowerCase()
    const countryOf = ({ headers }: FastifyRequest): Country | undefined => {
      const country = header && String(headers[header] ?? '').toUpperCase()
      // CDNs send XX for an unknown country.
      return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : undefined
    }
    app.decorate('audienceOf', (request: FastifyRequest) => ({ country: countryOf(request), maxAge: request.viewer?.maxAge }))
    app.decorate('audienceHeaders', ['Authorization', ...(hasProvider(app.settings) ? [profileHeader] : []), COUNTRY_HEADER])
  },
  { name: 'audience', dependencies: ['settings', 'authentication'] }
)
