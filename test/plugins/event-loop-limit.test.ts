import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { build } from '../helpers/app.js'

t.test('a delay of the event loop during the start refuses nobody', async t => {
  const app = await build(t, { settings: { MAX_EVENT_LOOP_DELAY: '50' } })
  const hold = performance.now() + 1500
  while (performance.now() < hold);
  const statuses = new Set<number>()
  for (const until = performance.now() + 100; performance.now() < until; await turn()) statuses.add((await app.inject('/terms')).statusCode)
  t.strictSame([...statuses], [200])
})

t.test('while the event loop is delayed, only /health and /ready are answered', async t => {
  const app = await build(t, { settings: { MAX_EVENT_LOOP_DELAY: '50' } })
  const hold = (milliseconds: number) => {
    const until = performance.now() + milliseconds
    while (performance.now() < until);
  }
  const ends = performance.now() + 10_000
  const comesTo = async (status: number, between: () => void) => {
    for (;;) {
      const response = await app.inject('/terms')
      if (response.statusCode === status || performance.now() > ends) return response
      between()
      await turn()
    }
  }
  const refused = await comesTo(503, () => hold(100))
  t.strictSame([refused.statusCode, refused.json().code], [503, 503])
  t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
  for (const url of ['/health', '/ready']) t.equal((await app.inject(url)).statusCode, 200, url)
  t.equal((await comesTo(200, () => undefined)).statusCode, 200, 'requests are served again afterwards')
})
