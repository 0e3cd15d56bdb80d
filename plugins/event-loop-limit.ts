import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'

/** The start itself holds the event loop: whoever is let in by /ready must not be refused for it. In milliseconds. */
const firstMeasurements = 2000

/** Refuses requests while the event loop is held for too long. */
export default fp(
  async app => {
    let isMeasured = false
    app.addHook('onReady', async () => {
      void app.started.then(() => setTimeout(() => (isMeasured = true), firstMeasurements).unref())
    })
    await app.register(underPressure, {
      maxEventLoopDelay: app.settings.MAX_EVENT_LOOP_DELAY,
      pressureHandler: async request => {
        if (!isMeasured || request.routeOptions.config.admission === 'vital') return
        app.onRefusal('event_loop')
        throw unavailable()
      }
    })
  },
  { name: 'event-loop-limit', dependencies: ['settings', 'metrics', 'mongo'] }
)
