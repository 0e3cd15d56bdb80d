import fp from 'fastify-plugin'
import { tooManyRequests } from '../src/errors.js'
import { callerOf } from '../src/http/addresses.js'
import { Rate } from '../src/overload/rate.js'
import { minutes } from '../src/time.js'

/** Bytes of the callers of each kind that are counted at once: some 70,000. */
const callers = 10 * 1024 * 1024

/** Refuses callers beyond their rate: signed-in ones by their id, others by their address. */
export default fp(
  async app => {
    const { RATE_LIMIT, RATE_LIMIT_ADDRESS } = app.settings

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
  { name: 'rate-limits', dependencies: ['settings', 'metrics', 'authentication'] }
)
