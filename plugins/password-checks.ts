import fp from 'fastify-plugin'
import { type PasswordChecks, passwordChecksOf } from '../src/identity/login.js'

declare module 'fastify' {
  interface FastifyInstance {
    passwordChecks: PasswordChecks
  }
}

/** Routes that ask for a password share its limits and its queue. */
export default fp(
  async app => {
    const { data, settings, log } = app
    const onBroken = (user: number) =>
      log.warn({ user }, `the password of user ${user} cannot be checked: the stored hash is invalid, or too expensive`)
    app.decorate('passwordChecks', passwordChecksOf(data, settings, onBroken))
  },
  { name: 'password-checks', dependencies: ['settings', 'mongo'] }
)
