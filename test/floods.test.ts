import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { loginFlood } from '../scripts/soak/load/login-flood.js'
import { slowSenders } from '../scripts/soak/load/slow-senders.js'
import { databaseOf } from './catalogue-data.js'
import { addUser, build, password } from './helper.js'

const listening = async (t: Test, settings: Record<string, string> = {}) => {
  const app = await build(t, { settings })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, address: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }
}

// The short forms of `npm run soak`, which measures them from outside.
t.jobs = 2

t.test('connections that dribble are closed in 15 s and disturb nobody', { buffered: true }, async t => {
  const { address } = await listening(t)
  const senders = 100
  const { longest, told, beside } = await slowSenders(address, { senders, quietFor: 0 })
  t.ok(longest < 15_000, `the last after ${longest} ms`)
  t.equal(told, senders, 'each with a 408')
  t.strictSame(beside.statuses, [200])
})

t.test('a flood of logins spares the database and those who are signed in', { buffered: true }, async t => {
  const { app, address } = await listening(t, { TRUST_PROXY: '1' })
  const { email } = await addUser(app)
  const { logins, flooded } = await loginFlood(address, { email, password, atOnce: 200, seconds: 1 })
  t.ok((flooded.statuses[200] ?? 0) > 0, 'history is served')
  const strange = Object.keys(logins).filter(status => !['401', '429', '503'].includes(status))
  t.strictSame(strange, [], 'each login is heard, or told to come again')
  t.ok((logins[429] ?? 0) > 100, `${logins[429]} of them at once`)
  // Three counts a login: those who are refused for want of a place ask the database nothing.
  const counts = await databaseOf(app).collection('login_attempts').countDocuments()
  const all = Object.values(logins).reduce((sum, count) => sum + count)
  t.ok(counts < 1.5 * all, `${counts} counts are kept for ${all} logins`)
})
