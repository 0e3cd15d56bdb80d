import jwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { SignedIn } from '../schemas/identity.js'
import type { Audience } from '../src/catalogue/audience.js'
import { forbidden, unauthenticated } from '../src/errors.js'
import { reasonOf } from '../src/http/logging.js'
import { countryFrom } from '../src/http/requests.js'
import { profileHeader } from '../src/identity/chosen-profiles.js'
import { keysFromPem, keysFromUrl } from '../src/identity/provider-keys.js'
import { providerTokens } from '../src/identity/provider-tokens.js'
import { hasProvider } from '../src/identity/secrets.js'
import type { Session } from '../src/identity/sessions.js'
import { type CheckToken, type Claims, ownTokens, type Viewer } from '../src/identity/tokens.js'
import { toUser, type UserDocument } from '../src/identity/users.js'
import { answerTimeoutOf, withDeadline } from '../src/overload/deadlines.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The response to a login: a new access token and the session's refresh token. Undefined if an identity provider issues the tokens. */
    signedIn: (user: UserDocument, session: Session) => SignedIn
    /** The signed-in profile: lists belong to its `id`. Throws a 401 without a valid token. */
    viewerOf: (request: FastifyRequest) => Viewer
    /** The country and age limit that decide what the caller may see. */
    audienceOf: (request: FastifyRequest) => Audience
    /** The request headers that the audience depends on, for `Vary`. */
    audienceHeaders: string[]
  }
  interface FastifyRequest {
    /** The caller, if the token is valid and not revoked. With an identity provider, plugins/chosen-profile.ts sets the profile. */
    viewer: Viewer | null
    /** Why the token could not be checked. */
    viewerFault: Error | undefined
    /**
     * Milliseconds of the request's deadline that were spent before its handler: on checking the token, looking up the profile of an
     * identity provider's user, and hashing a new PIN.
     */
    spentMs: number
  }
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Partial<Claims> & { jti?: string }
  }
}

const refused = ({ viewerFault }: FastifyRequest) => viewerFault ?? unauthenticated()

const tokenRequired: onRequestHookHandler = (request, _reply, done) => done(request.viewer ? undefined : refused(request))
const tokenOptional: onRequestHookHandler = (request, _reply, done) => {
  const sentToken = request.headers.authorization !== undefined
  done(sentToken && !request.viewer ? refused(request) : undefined)
}

/** Profiles with an age limit may not manage the account. */
const accountRequired: onRequestHookHandler = (request, _reply, done) => {
  if (!request.viewer) return done(refused(request))
  done(request.viewer.maxAge === undefined ? undefined : forbidden())
}

/**
 * Route options: requires a valid token. The guard runs after the hooks of all plugins, and so after the rate limits. A route may override
 * `config`.
 */
export const forViewers = { onRequest: tokenRequired, config: { admission: 'viewer' } } as const
/** Like `forViewers`, but not for profiles with an age limit. */
export const forAccount = { onRequest: accountRequired, config: { admission: 'viewer' } } as const
/** Route options: accepts requests without a token, but rejects invalid tokens. */
export const forAnyone = { onRequest: tokenOptional, config: { admission: 'viewer' } } as const

/** Any random secret of 32 bytes has more distinct characters, even in hexadecimal. */
const fewestDistinctCharacters = 8

const profileClaims = ({ account_id, max_age = null }: UserDocument) => ({
  ...(account_id !== undefined && { acc: String(account_id) }),
  ...(max_age !== null && { max_age })
})

const bearer = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i

const ownTokensOf = async (app: FastifyInstance, secret: string): Promise<CheckToken> => {
  const { JWT_ISSUER: iss, JWT_AUDIENCE: aud, ACCESS_TOKEN_TTL } = app.settings
  if (new Set(secret).size < fewestDistinctCharacters) app.log.warn('JWT_SECRET has only a few different characters and is easy to guess')
  await app.register(jwt, {
    secret,
    sign: { algorithm: 'HS256', iss, aud, expiresIn: ACCESS_TOKEN_TTL },
    // The library checks only the signature. Its clock tolerance would apply to `exp`, too, so src/identity/tokens.ts checks the times.
    verify: { algorithms: ['HS256'], complete: true, ignoreExpiration: true, ignoreNotBefore: true }
  })
  app.decorate('signedIn', (user: UserDocument, { sid, refresh_token }: Session) => ({
    access_token: app.jwt.sign({ sub: String(user._id), sid, jti: crypto.randomUUID(), ...profileClaims(user) }),
    token_type: 'Bearer' as const,
    expires_in: ACCESS_TOKEN_TTL,
    refresh_token,
    user: toUser(user)
  }))
  return ownTokens({
    iss,
    aud,
    life: ACCESS_TOKEN_TTL,
    checkSignature: token => app.jwt.verify<{ header: object; payload: object }>(token)
  })
}

const providerTokensOf = (app: FastifyInstance): CheckToken => {
  const { JWT_JWKS_URL, JWT_PUBLIC_KEY, JWT_ISSUER: iss, JWT_AUDIENCE: aud } = app.settings
  const keys = JWT_PUBLIC_KEY
    ? keysFromPem(JWT_PUBLIC_KEY)
    : keysFromUrl(JWT_JWKS_URL, err => app.log.warn({ err: reasonOf(err as Error) }, 'the keys of the identity provider could not be read'))
  app.addHook('onClose', async () => keys.close())
  return providerTokens({ iss, aud, keys, userOf: app.data.users.ofProvider, isErased: id => app.revocations.hasErased(id) })
}

/**
 * Sets `request.viewer` for every request but the vital ones: null if there is no valid token. This hook never rejects a request; the route
 * guards do.
 */
export default fp(
  async app => {
    const { revocations, settings } = app
    const { JWT_SECRET, COUNTRY_HEADER } = settings
    const check = JWT_SECRET === undefined ? providerTokensOf(app) : await ownTokensOf(app, JWT_SECRET)

    app.decorateRequest('viewer', null)
    app.decorateRequest('viewerFault', undefined)
    app.decorateRequest('spentMs', 0)
    const timeout = answerTimeoutOf(settings)
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.routeOptions.config.admission === 'vital') return done()
      const { authorization } = request.headers
      const token = authorization && bearer.exec(authorization)?.[1]
      const found = token ? check(token) : null
      if (!(found instanceof Promise)) {
        request.viewer = found && revocations.unlessRevoked(found)
        return done()
      }
      const began = performance.now()
      withDeadline(found, timeout)
        .then(
          viewer => {
            request.viewer = viewer && revocations.unlessRevoked(viewer)
          },
          (fault: Error) => {
            request.viewerFault = fault
          }
        )
        .then(() => {
          request.spentMs = performance.now() - began
          done()
        })
    })

    app.decorate('viewerOf', (request: FastifyRequest) => {
      if (!request.viewer) throw refused(request)
      return request.viewer
    })
    const countryOf = countryFrom(COUNTRY_HEADER)
    app.decorate('audienceOf', (request: FastifyRequest) => ({ country: countryOf(request), maxAge: request.viewer?.maxAge }))
    app.decorate('audienceHeaders', ['Authorization', ...(hasProvider(settings) ? [profileHeader] : []), COUNTRY_HEADER])
  },
  { name: 'authentication', dependencies: ['mongo', 'revocations'] }
)
