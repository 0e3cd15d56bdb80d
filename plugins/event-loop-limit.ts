import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'

/** In milliseconds. Startup blocks the event loop, and the first requests must not be refused for that. */
const warmUp = 2000

/** Sheds load: refuses requests while the event loop is delayed. */
export default fp(
  async app => {
    let isWarm = false
    app.addHook('onReady', async () => {
      void app.whenPrepared.then(() => setTimeout(() => (isWarm = true), warmUp).unref())
    })
    await app.register(underPressure, {
      maxEventLoopDelay: app.settings.MAX_EVENT_LOOP_DELAY,
      pressureHandler: async request => {
        if (!isWarm || request.routeOptions.config.admission === 'vital') return
        app.countRefusal('event_loop')
        throw unavailable()
      }
    })
  },
  { name: 'event-loop-limit', dependencies: ['settings', 'metrics', 'preparation'] }
)
