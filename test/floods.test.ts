import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { loginFlood } from '../scripts/soak/login-flood.js'
import { slowSenders } from '../scripts/soak/slow-senders.js'
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
  t.strictSame(Object.keys(flooded.statuses), ['200'], 'history is served')
  t.strictSame(Object.keys(logins), ['401', '429'], 'of the crowd a few are heard, and the others told to come again')
  const heard = logins[401] ?? 0
  t.ok(heard > 0 && heard < 100, `${heard} are heard`)
  // Three counts a login: those who are refused for want of a place ask the database nothing.
  const counts = await databaseOf(app).collection('login_attempts').countDocuments()
  t.ok(counts < 300, `${counts} counts are kept`)
})
