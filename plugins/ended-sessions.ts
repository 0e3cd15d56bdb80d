import fp from 'fastify-plugin'
import { endedSessionMetrics } from '../src/metrics/ended-sessions.js'
import { poll } from '../src/poll.js'

/** Ignores the tokens of ended sessions. These are kept in memory, so that no request asks the database. */
export default fp(
  async app => {
    const { endedSessions, backgroundData } = app
    const closing = new AbortController()
    const refresh = () => endedSessions.refresh(backgroundData.sessions)

    endedSessionMetrics(app.metrics, endedSessions)
    app.preparations.push(async () => {
      await refresh()
      void poll(refresh, closing.signal, err => app.log.warn({ err }, 'the ended sessions could not be read, trying again every second'))
    })
    app.addHook('onClose', async () => closing.abort())

    app.addHook('onRequest', (request, _reply, done) => {
      const { viewer } = request
      if (viewer?.sid !== undefined && endedSessions.has(viewer.sid)) request.viewer = null
      done()
    })
  },
  { name: 'ended-sessions', dependencies: ['metrics', 'mongo', 'authentication'] }
)
