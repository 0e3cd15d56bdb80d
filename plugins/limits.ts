import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { tooManyRequests, unavailable } from '../src/errors.js'
import { callerOf } from '../src/http/addresses.js'
import { Rate } from '../src/overload/rate.js'
import { minutes } from '../src/time.js'

/** Bytes of the callers of each kind that are counted at once: some 70,000. */
const callers = 10 * 1024 * 1024

/** The start itself holds the event loop: whoever is let in by /ready must not be refused for it. In milliseconds. */
const firstMeasurements = 2000

/** What a process refuses so that it can serve the rest: callers beyond their rate, and anyone while the event loop is held. */
export default fp(
  async app => {
    const { RATE_LIMIT, RATE_LIMIT_ADDRESS, MAX_EVENT_LOOP_DELAY } = app.settings

    let isMeasured = false
    app.addHook('onReady', async () => {
      void app.started.then(() => setTimeout(() => (isMeasured = true), firstMeasurements).unref())
    })
    await app.register(underPressure, {
      maxEventLoopDelay: MAX_EVENT_LOOP_DELAY,
      pressureHandler: async request => {
        if (!isMeasured || request.routeOptions.config.admission === 'vital') return
        app.onRefusal('event_loop')
        throw unavailable()
      }
    })

    const users = new Rate<number>(minutes(1), callers)
    const addresses = new Rate<string>(minutes(1), callers)
    app.addHook('onRequest', ({ viewer, ip, routeOptions }, _reply, done) => {
      if (routeOptions.config.admission === 'vital') return done()
      let wait = 0
      if (viewer) wait = RATE_LIMIT && users.count(viewer.id, RATE_LIMIT)
      else wait = RATE_LIMIT_ADDRESS && addresses.count(callerOf(ip), RATE_LIMIT_ADDRESS)
      if (wait === 0) return done()
      app.onRefusal(viewer ? 'user_limit' : 'address_limit')
      done(tooManyRequests(wait / 1000))
    })
  },
  { name: 'limits', dependencies: ['settings', 'metrics', 'authentication'] }
)
