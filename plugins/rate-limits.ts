import fp from 'fastify-plugin'
import { tooManyRequests } from '../src/errors.js'
import { callerOf } from '../src/http/addresses.js'
import type { Viewer } from '../src/identity/tokens.js'
import { RateLimit } from '../src/overload/rate-limit.js'
import { minutes } from '../src/time.js'

/** In bytes, for each kind of caller: enough for about 87,000 accounts, or for 62,000 addresses and more. */
const memoryBound = 10 * 1024 * 1024

/**
 * With tokens of the service, a profile with an age limit is counted by itself, so that a child cannot use up the limit of its parents.
 * The key is negative, because the id of a first profile is also the id of its account. Tokens of an identity provider do not name the
 * profile, so all profiles of an account share one count.
 */
const countedAs = ({ id, account, maxAge }: Viewer) => (maxAge === undefined ? account : -id)

/** Limits the rate of requests: by account for signed-in callers (by profile, if it has an age limit), by address for all others. */
export default fp(
  async app => {
    const { RATE_LIMIT, RATE_LIMIT_ADDRESS } = app.settings

    const users = new RateLimit<number>(minutes(1), memoryBound)
    const addresses = new RateLimit<string>(minutes(1), memoryBound)
    app.addHook('onRequest', ({ viewer, ip, routeOptions }, _reply, done) => {
      if (routeOptions.config.admission === 'vital') return done()
      let wait = 0
      if (viewer) wait = RATE_LIMIT && users.count(countedAs(viewer), RATE_LIMIT)
      else wait = RATE_LIMIT_ADDRESS && addresses.count(callerOf(ip), RATE_LIMIT_ADDRESS)
      if (wait === 0) return done()
      app.countRefusal(viewer ? 'user_limit' : 'address_limit')
      done(tooManyRequests(wait / 1000))
    })
  },
  { name: 'rate-limits', dependencies: ['settings', 'metrics', 'authentication'] }
)
