import fp from 'fastify-plugin'
import { RefusedUsers } from '../src/identity/refused-users.js'

declare module 'fastify' {
  interface FastifyInstance {
    refusedUsers: RefusedUsers
  }
}

/** Learns which users were disabled or erased, so that no request asks the database. */
export default fp(
  async app => {
    const refused = new RefusedUsers(app.backgroundData)
    app.decorate('refusedUsers', refused)
    app.follow('disabled and erased users', () => refused.refresh())
  },
  { name: 'refused-users', dependencies: ['mongo', 'preparation'] }
)
