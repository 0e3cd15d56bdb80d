import fp from 'fastify-plugin'
import { ChangedAgeLimits } from '../src/identity/changed-age-limits.js'
import { endedSessionMetrics } from '../src/metrics/ended-sessions.js'

declare module 'fastify' {
  interface FastifyInstance {
    changedAgeLimits: ChangedAgeLimits
    /** When the database was last restored from a backup, in milliseconds. 0 if it never was. */
    restoredAt: () => number
  }
}

/**
 * Ignores the tokens of ended sessions, of users who are disabled or erased, and from before a restore. Applies a profile's new age limit
 * to tokens that were issued before the change. All of this is in memory, so that no request asks the database.
 */
export default fp(
  async app => {
    const { endedSessions, refusedUsers, backgroundData } = app
    const changedAgeLimits = new ChangedAgeLimits(backgroundData)
    app.decorate('changedAgeLimits', changedAgeLimits)
    app.follow('changed age limits', () => changedAgeLimits.refresh())
    endedSessionMetrics(app.metrics, endedSessions)
    app.follow('ended sessions', () => endedSessions.refresh(backgroundData.sessions))

    let restoredAt = 0
    app.decorate('restoredAt', () => restoredAt)
    app.follow('time of the last restore', async () => {
      restoredAt = await backgroundData.restores.lastAt()
    })

    app.addHook('onRequest', (request, _reply, done) => {
      const { viewer } = request
      if (!viewer) return done()
      const { id, account, sid, issuedAt = Number.POSITIVE_INFINITY } = viewer
      const hasEnded = sid !== undefined && endedSessions.has(sid)
      // A restored database knows neither the sessions that ended since the backup nor the ids that were assigned since. Tokens of an
      // identity provider name no session and no id of this database, so they stay valid: they have no `issuedAt`.
      const predatesRestore = issuedAt < Math.floor(restoredAt / 1000)
      const isRefused = hasEnded || predatesRestore || refusedUsers.has(id) || refusedUsers.has(account)
      request.viewer = isRefused ? null : changedAgeLimits.current(viewer)
      done()
    })
  },
  { name: 'refused-tokens', dependencies: ['metrics', 'mongo', 'preparation', 'authentication', 'refused-users'] }
)
