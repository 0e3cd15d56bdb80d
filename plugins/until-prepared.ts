import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'

/** Refuses requests that need the database until it is prepared. Without the unique indexes, writes could leave duplicates. */
export default fp(
  async app => {
    app.addHook('onRequest', ({ routeOptions: { config } }, _reply, done) => {
      const needsDatabase = config.admission !== 'vital' && config.admission !== 'static'
      done(needsDatabase && !app.isPrepared() ? unavailable() : undefined)
    })
  },
  { name: 'until-prepared', dependencies: ['preparation'] }
)
