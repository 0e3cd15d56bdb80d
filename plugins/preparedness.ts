import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'

/** Refuses what needs the database until it is prepared: before its indexes stand, a write could make the second of what must be one. */
export default fp(
  async app => {
    app.addHook('onRequest', ({ routeOptions: { config } }, _reply, done) => {
      const needsDatabase = config.admission !== 'vital' && config.admission !== 'static'
      done(needsDatabase && !app.isPrepared() ? unavailable() : undefined)
    })
  },
  { name: 'preparedness', dependencies: ['mongo'] }
)
