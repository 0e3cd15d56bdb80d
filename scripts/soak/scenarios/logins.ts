import { usersOf } from '../../../src/data/users.js'
import { hashPassword } from '../../../src/identity/passwords.js'
import { complainsOfNothing, stays } from '../findings.js'
import { loginFlood } from '../load/login-flood.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const atOnce = 200
const atMost = 3
/** One for the user, one for the address, one for both. */
const countsEach = 3
const credentials = { email: 'soak@example.com', password: 'the password of the soak' }

/** 200 logins at once, each of somebody else, while somebody who is signed in reads. */
export const logins: Scenario = async ({ db, options, say }, stage) => {
  const users = usersOf(db)
  // The first user is one of those with a history.
  if (!(await users.byEmail(credentials.email)))
    await users.add({ email: credentials.email, name: 'Soak', password_hash: await hashPassword(credentials.password) })
  const service = await stage.service({ TRUST_PROXY: '1', RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0', LOGIN_LIMIT: '10' })
  const seconds = options.brief ? 2 : 10
  say(`logins: ${atOnce} at once, for ${seconds} s`)
  const address = `http://127.0.0.1:${service.port}`
  const { quiet, flooded, ratio, logins } = await loginFlood(address, { ...credentials, atOnce, seconds })
  const all = Object.values(logins).reduce((sum, count) => sum + count)
  const counted = await db.collection('login_attempts').countDocuments()
  return [
    promised(
      'a flood of logins leaves a page of history within 3 times of its quiet p99',
      // Beside other tests, what is quiet is none.
      options.brief ? undefined : ratio <= atMost,
      `${milliseconds(flooded.p99)} beside ${milliseconds(quiet.p99)}`
    ),
    promised(
      'no login is a fault of the service',
      // Beside other tests, the last of a crowd may pass its deadline.
      options.brief && logins['503'] ? undefined : Object.keys(logins).every(status => status === '401' || status === '429'),
      Object.entries(logins)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', ')
    ),
    promised(
      'those who would find no place at the hashes ask the database nothing',
      counted < countsEach * all * 0.5,
      `${counted} counts are kept for ${all} logins`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
