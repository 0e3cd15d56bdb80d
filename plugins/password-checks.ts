import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { callerOf } from '../src/http/addresses.js'
import { type PasswordChecks, passwordChecksOf } from '../src/identity/password-checks.js'

declare module 'fastify' {
  interface FastifyInstance {
    passwordChecks: PasswordChecks
    /** Hashes the PIN of the body, if any, into `pinHash`, before the handler waits for a connection to the database. */
    hashPin: preHandlerAsyncHookHandler
  }
  interface FastifyRequest {
    pinHash: string | undefined
  }
}

/** One instance for all routes that check a password or PIN, because they share the login limits and one queue. */
export default fp(
  async app => {
    const { data, settings, log } = app
    const onBroken = (user: number) =>
      log.warn({ user }, `the password or PIN of user ${user} cannot be checked: the stored hash is invalid, or too expensive`)
    const passwordChecks = passwordChecksOf(data, settings, onBroken)
    app.decorate('passwordChecks', passwordChecks)

    app.decorateRequest('pinHash', undefined)
    app.decorate('hashPin', async (request: FastifyRequest) => {
      const { pin } = request.body as { pin?: string | null }
      if (!pin) return
      const began = performance.now()
      request.pinHash = await passwordChecks.hashPin(app.viewerOf(request).account, pin, callerOf(request.ip))
      request.spentMs += performance.now() - began
    })
  },
  { name: 'password-checks', dependencies: ['mongo', 'authentication'] }
)
