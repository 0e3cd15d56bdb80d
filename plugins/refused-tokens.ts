import fp from 'fastify-plugin'
import { endedSessionMetrics } from '../src/metrics/ended-sessions.js'

/** Ignores the tokens of ended sessions, and of users who are disabled or erased. All are in memory, so that no request asks the database. */
export default fp(
  async app => {
    const { endedSessions, refusedUsers, backgroundData } = app
    endedSessionMetrics(app.metrics, endedSessions)
    app.follow('ended sessions', () => endedSessions.refresh(backgroundData.sessions))

    app.addHook('onRequest', (request, _reply, done) => {
      const { viewer } = request
      const hasEnded = viewer?.sid !== undefined && endedSessions.has(viewer.sid)
      if (viewer && (hasEnded || refusedUsers.has(viewer.id))) request.viewer = null
      done()
    })
  },
  { name: 'refused-tokens', dependencies: ['metrics', 'mongo', 'authentication', 'refused-users'] }
)
