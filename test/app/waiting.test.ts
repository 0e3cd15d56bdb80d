import t from 'tap'
import { build } from '../helper.js'

t.test('beyond the requests that may wait, new ones are refused at once, and served again when there is room', async t => {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const app = await build(t, {
    settings: { MAX_WAITING: '3' },
    extend: app => {
      app.get('/waits', async () => gate.then(() => 'waited'))
      app.get('/at-once', (_request, reply) => reply.send('at once'))
      app.get('/apart', { config: { queued: true } }, async () => 'apart')
    }
  })
  const waiting = Array.from({ length: 3 }, () => app.inject('/waits'))
  await Promise.all(waiting.map(request => Promise.race([request, new Promise(setImmediate)])))

  for (const url of ['/waits', '/at-once', '/contents', '/schedule']) {
    const refused = await app.inject(url)
    t.equal(refused.statusCode, 503, url)
    t.match(refused.headers, { 'retry-after': /^\d+$/ })
    t.match(refused.json(), { success: false, code: 503 })
  }
  for (const url of ['/health', '/ready', '/apart']) t.equal((await app.inject(url)).statusCode, 200, url)

  release()
  for (const { statusCode, body } of await Promise.all(waiting)) t.strictSame([statusCode, body], [200, 'waited'])
  for (const url of ['/waits', '/at-once', '/contents']) t.equal((await app.inject(url)).statusCode, 200, url)
})

t.test('0 sets no bound', async t => {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const app = await build(t, {
    settings: { MAX_WAITING: '0' },
    extend: app => void app.get('/waits', async () => gate.then(() => 'waited'))
  })
  const waiting = Array.from({ length: 300 }, () => app.inject('/waits'))
  await Promise.all(waiting.map(request => Promise.race([request, new Promise(setImmediate)])))
  t.equal((await app.inject('/contents')).statusCode, 200)
  release()
  t.ok((await Promise.all(waiting)).every(({ statusCode }) => statusCode === 200))
})
