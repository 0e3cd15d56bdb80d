import { usersOf } from '../../../src/data/users.js'
import { hashPassword } from '../../../src/identity/passwords.js'
import { inWords } from '../counts.js'
import { complainsOfNothing, stays } from '../findings.js'
import { loginFlood } from '../load/login-flood.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const atOnce = 200
const atMost = 3
/** Counters per login: for the user, for the address, and for both. */
const countsEach = 3
const credentials = { email: 'soak@example.com', password: 'the password of the soak' }

/** 200 logins at once, each for another user, while a signed-in user reads. */
export const logins: Scenario = async ({ db, options, say }, stage) => {
  const users = usersOf(db)
  // The first user is one of the viewers with a history.
  if (!(await users.byEmail(credentials.email)))
    await users.add({ email: credentials.email, name: 'Soak', password_hash: await hashPassword(credentials.password) })
  const service = await stage.service({ TRUST_PROXY: '1', RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0', LOGIN_LIMIT: '10' })
  const seconds = options.brief ? 2 : 10
  say(`logins: ${atOnce} at once, for ${seconds} s`)
  const { quiet, flooded, ratio, logins } = await loginFlood(service.port, { ...credentials, atOnce, seconds })
  const all = Object.values(logins).reduce((sum, count) => sum + count)
  const counted = await db.collection('login_attempts').countDocuments()
  return [
    promised(
      'the p99 of a page of history is at most 3 times that without the flood',
      // When other tests run at the same time, the reference is not quiet.
      options.brief ? undefined : ratio <= atMost,
      `${milliseconds(flooded.p99)} instead of ${milliseconds(quiet.p99)}`
    ),
    promised(
      'every login gets a 401 or a 429',
      // When other tests run at the same time, the last logins may miss their deadline.
      options.brief && logins['503'] ? undefined : Object.keys(logins).every(status => status === '401' || status === '429'),
      inWords(logins)
    ),
    promised(
      'logins that do not fit in the queue cause no database operation',
      // When other tests run at the same time, so few logins may be answered that the queue never overflows.
      options.brief && all <= atOnce ? undefined : counted < countsEach * all * 0.5,
      `${counted} counters for ${all} logins`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
