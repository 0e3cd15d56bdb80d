import jwt from '@fastify/jwt'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { SignedIn } from '../schemas/identity.js'
import type { Session } from '../src/data/sessions.js'
import type { UserDocument } from '../src/data/users.js'
import { unauthenticated } from '../src/errors.js'
import type { Claims } from '../src/identity/claims.js'
import { ownTokens } from '../src/identity/own-tokens.js'
import { keyOf, keysAt } from '../src/identity/provider-keys.js'
import { providerTokens } from '../src/identity/provider-tokens.js'
import type { Tokens, Viewer } from '../src/identity/tokens.js'
import { patienceOf, Waiting } from '../src/overload/waiting.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: only with a valid token. */
    tokenRequired: onRequestHookHandler
    /** Guard: without a token, or with a valid one. */
    tokenOptional: onRequestHookHandler
    /** The answer to a login: a new access token and the refresh token of the session. Not where an identity provider makes the tokens. */
    signedIn: (user: UserDocument, session: Session) => SignedIn
    /** The signed-in user. Only behind the guard `tokenRequired`. */
    viewerOf: (request: FastifyRequest) => Viewer
  }
  interface FastifyRequest {
    /** Who calls, where the token is valid. */
    viewer: Viewer | null
    /** Why it could not be found out. */
    viewerFault: Error | undefined
    /** Milliseconds that finding it out took. */
    identifiedIn: number
  }
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Partial<Claims> & { jti?: string }
  }
}

/** A random secret of 32 bytes, in whatever digits or letters, has more different ones. */
const fewCharacters = 8

const bearer = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i

/** Reads the token of every request once; whether a route wants one is the matter of its guard. */
export default fp(
  async app => {
    const { JWT_SECRET, JWT_JWKS_URL, JWT_PUBLIC_KEY, JWT_ISSUER: iss, JWT_AUDIENCE: aud, ACCESS_TOKEN_TTL } = app.settings

    const own = async (secret: string): Promise<Tokens> => {
      if (new Set(secret).size < fewCharacters) app.log.warn('JWT_SECRET repeats a few characters: whoever guesses it is any user')
      await app.register(jwt, {
        secret,
        sign: { algorithm: 'HS256', iss, aud, expiresIn: ACCESS_TOKEN_TTL },
        // The signature is the library's matter, the claims ours: it has one tolerance for all times, and it would lengthen a token's life.
        verify: { algorithms: ['HS256'], complete: true, ignoreExpiration: true, ignoreNotBefore: true }
      })
      app.decorate('signedIn', ({ _id, email = '', name = '' }: UserDocument, { sid, refresh_token }: Session) => ({
        access_token: app.jwt.sign({ sub: String(_id), sid, jti: crypto.randomUUID() }),
        token_type: 'Bearer' as const,
        expires_in: ACCESS_TOKEN_TTL,
        refresh_token,
        user: { id: _id, email, name }
      }))
      return ownTokens({ iss, aud, verify: token => app.jwt.verify<{ header: object; payload: object }>(token) })
    }
    const ofProvider = (): Tokens => {
      const keys = JWT_PUBLIC_KEY
        ? keyOf(JWT_PUBLIC_KEY)
        : keysAt(JWT_JWKS_URL, err => app.log.warn({ err }, 'the keys of the identity provider could not be read'))
      app.addHook('onClose', async () => keys.close())
      return providerTokens({ iss, aud, keys, userOf: (iss, sub) => app.data.users.ofProvider(iss, sub) })
    }
    const tokens = JWT_SECRET === undefined ? ofProvider() : await own(JWT_SECRET)

    app.decorateRequest('viewer', null)
    app.decorateRequest('viewerFault', undefined)
    app.decorateRequest('identifiedIn', 0)
    const providers = new Waiting(Number.POSITIVE_INFINITY, patienceOf(app.settings))
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.routeOptions.config.admission === 'vital') return done()
      const { authorization } = request.headers
      const token = authorization && bearer.exec(authorization)?.[1]
      const viewer = token ? tokens.viewerOf(token) : null
      if (!(viewer instanceof Promise)) {
        request.viewer = viewer
        return done()
      }
      const began = performance.now()
      providers
        .within(viewer)
        .then(
          found => {
            request.viewer = found
          },
          (fault: Error) => {
            request.viewerFault = fault
          }
        )
        .then(() => {
          request.identifiedIn = performance.now() - began
          done()
        })
    })

    const refused = ({ viewerFault }: FastifyRequest) => viewerFault ?? unauthenticated()
    app.decorate('tokenRequired', (request, _reply, done) => done(request.viewer ? undefined : refused(request)))
    app.decorate('tokenOptional', (request, _reply, done) =>
      done(request.viewer || request.headers.authorization === undefined ? undefined : refused(request))
    )
    app.decorate('viewerOf', ({ viewer }: FastifyRequest) => {
      if (!viewer) throw unauthenticated()
      return viewer
    })
  },
  { name: 'authentication', dependencies: ['settings', 'mongo'] }
)
