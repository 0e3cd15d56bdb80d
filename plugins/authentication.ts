import jwt from '@fastify/jwt'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { SignedIn } from '../schemas/identity.js'
import { type Claims, viewerOf } from '../src/claims.js'
import type { Session } from '../src/data/sessions.js'
import type { UserDocument } from '../src/data/users.js'
import { unauthenticated } from '../src/errors.js'
import { Kept } from '../src/kept.js'

export interface Viewer {
  id: number
  sid: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: only with a valid token. */
    tokenRequired: onRequestHookHandler
    /** Guard: without a token, or with a valid one. */
    tokenOptional: onRequestHookHandler
    /** The answer to a login: a new access token and the refresh token of the session. */
    signedIn: (user: UserDocument, session: Session) => SignedIn
    /** The signed-in user. Only behind the guard `tokenRequired`. */
    viewerOf: (request: FastifyRequest) => Viewer
  }
  interface FastifyRequest {
    /** Who calls, where the token is valid. */
    viewer: Viewer | null
  }
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Partial<Claims>
  }
}

/** In bytes; enough for some ten thousand viewers at once. */
const tokensKept = 10 * 1024 * 1024
const overhead = 600

const bearer = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i

/** Reads the token of every request once; whether a route wants one is the matter of its guard. */
export default fp(
  async app => {
    const { JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE, ACCESS_TOKEN_TTL } = app.settings

    await app.register(jwt, {
      secret: JWT_SECRET,
      sign: { algorithm: 'HS256', iss: JWT_ISSUER, aud: JWT_AUDIENCE, expiresIn: ACCESS_TOKEN_TTL },
      // The signature is the library's matter, the claims ours: it has one tolerance for all times, and it would lengthen a token's life.
      verify: {
        algorithms: ['HS256'],
        complete: true,
        ignoreExpiration: true,
        ignoreNotBefore: true
      }
    })

    /** A signature is checked once a token and process: players send the same one for an hour. */
    const checked = new Kept<string, object>(tokensKept, (_claims, token) => token.length + overhead)
    const signed = (token: string) => {
      const known = checked.get(token)
      if (known) return known
      const claims = app.jwt.verify<object>(token)
      checked.put(token, claims)
      return claims
    }

    const read = (authorization: string | undefined): Viewer | null => {
      const token = authorization && bearer.exec(authorization)?.[1]
      if (!token) return null
      try {
        return viewerOf(signed(token), { iss: JWT_ISSUER, aud: JWT_AUDIENCE }, Date.now() / 1000) ?? null
      } catch {
        return null
      }
    }

    app.decorateRequest('viewer', null)
    app.addHook('onRequest', (request, _reply, done) => {
      request.viewer = read(request.headers.authorization)
      done()
    })

    app.decorate('tokenRequired', ({ viewer }, _reply, done) => done(viewer ? undefined : unauthenticated()))
    app.decorate('tokenOptional', ({ viewer, headers }, _reply, done) =>
      done(viewer || headers.authorization === undefined ? undefined : unauthenticated())
    )
    app.decorate('viewerOf', ({ viewer }: FastifyRequest) => {
      if (!viewer) throw unauthenticated()
      return viewer
    })
    app.decorate('signedIn', ({ _id, email = '', name }: UserDocument, { sid, refresh_token }: Session) => ({
      access_token: app.jwt.sign({ sub: String(_id), sid }),
      token_type: 'Bearer' as const,
      expires_in: ACCESS_TOKEN_TTL,
      refresh_token,
      user: { id: _id, email, name }
    }))
  },
  { name: 'authentication', dependencies: ['settings'] }
)
