import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { forbidden } from '../src/errors.js'
import { integerId } from '../src/http/requests.js'
import { ChosenProfiles, profileHeader } from '../src/identity/chosen-profiles.js'
import { hasProvider } from '../src/identity/secrets.js'
import type { Viewer } from '../src/identity/tokens.js'
import { answerTimeoutOf } from '../src/overload/deadlines.js'

/**
 * Finds the profile of a request, because the tokens of a provider name only the account. Runs after the rate limits, because it queries
 * the database.
 */
export default fp(
  async app => {
    const { settings, data, revocations } = app
    if (!hasProvider(settings)) return
    const timeout = answerTimeoutOf(settings)
    const profiles = new ChosenProfiles(data.profiles, app.outage)
    const header = profileHeader.toLowerCase()

    /** Makes the profile the viewer of the request. Returns an error if the header names a profile that the account does not have. */
    const setViewer = (request: FastifyRequest, profile: Viewer | undefined) => {
      if (profile) {
        request.viewer = { ...revocations.withCurrentLimit(profile), expiresAt: request.viewer?.expiresAt }
        return undefined
      }
      // Without a header, the profile is the account itself. If that was just removed, the caller counts as anonymous.
      request.viewer = null
      return request.headers[header] === undefined ? undefined : forbidden()
    }

    app.addHook('onRequest', (request, _reply, done) => {
      const { viewer, viewerFault, headers, routeOptions } = request
      const { admission } = routeOptions.config
      if (admission === 'vital' || admission === 'static') return done()
      const named = headers[header]
      // The header may name a child's profile. If the token cannot be checked, the request must not be served as an anonymous one. In all
      // other cases, the route guard decides.
      if (!viewer) return done(named === undefined ? undefined : viewerFault)
      const { account } = viewer
      const id = named === undefined ? account : integerId(String(named))
      if (id === undefined || revocations.isRefused(id)) return done(forbidden())
      const known = profiles.known(account, id)
      if (known) return done(setViewer(request, known))
      const began = performance.now()
      profiles
        .lookUp(account, id, timeout - request.spentMs)
        .then(found => setViewer(request, found))
        .catch((fault: Error) => fault)
        .then(refusal => {
          request.spentMs += performance.now() - began
          done(refusal)
        })
    })
  },
  {
    name: 'chosen-profile',
    dependencies: ['mongo', 'authentication', 'revocations', 'admission']
  }
)
