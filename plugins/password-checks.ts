import fp from 'fastify-plugin'
import { type PasswordChecks, passwordChecksOf } from '../src/identity/password-checks.js'

declare module 'fastify' {
  interface FastifyInstance {
    passwordChecks: PasswordChecks
  }
}

/** One instance for all routes that check a password or PIN, because they share the login limits and one queue. */
export default fp(
  async app => {
    const { data, settings, log } = app
    const onBroken = (user: number) =>
      log.warn({ user }, `the password or PIN of user ${user} cannot be checked: the stored hash is invalid, or too expensive`)
    app.decorate('passwordChecks', passwordChecksOf(data, settings, onBroken))
  },
  { name: 'password-checks', dependencies: ['settings', 'mongo'] }
)
