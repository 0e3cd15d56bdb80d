import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { ok } from '../../src/http/reply.js'
import { build, signIn } from '../helper.js'

const notFound = { success: false, code: 404, message: 'Resource not found' }

t.test('a fault inside is a 500 that says nothing of it, and a line of the log that does', async t => {
  const log: string[] = []
  const app = await build(t, {
    log,
    extend: app =>
      app.get('/fault', { config: { admission: 'public' } }, async () => {
        throw new Error('a secret of the inside')
      })
  })
  const response = await app.inject('/fault')
  t.equal(response.statusCode, 500)
  t.strictSame(response.json(), { success: false, code: 500, message: 'Internal server error' })
  t.equal(response.headers['cache-control'], 'no-store')
  const told = log.map(line => JSON.parse(line)).filter(({ level }) => level >= 50)
  t.match(told, [
    { level: 50, reqId: response.headers['x-request-id'], err: { message: 'a secret of the inside', stack: /plugins\.test/ } }
  ])
  t.equal(told.length, 1)
})

t.test('what a library does not find is told as the service tells it', async t => {
  const app = await build(t, {
    extend: app =>
      app.get('/lost', { config: { admission: 'public' } }, async () => {
        throw app.httpErrors.notFound('words of a library')
      })
  })
  for (const url of ['/lost', '/docs/static/nothing.js']) {
    const response = await app.inject(url)
    t.equal(response.statusCode, 404, url)
    t.strictSame(response.json(), notFound, url)
  }
})

t.test('guards', async t => {
  const app = await build(t, {
    extend: app => {
      app.get('/unguarded', { config: { admission: 'public' } }, async request => ok(app.viewerOf(request).id))
      app.get('/optional', { onRequest: app.tokenOptional, config: { admission: 'viewer' } }, async request =>
        ok(request.viewer ? 'a viewer' : 'anybody')
      )
    }
  })
  const headers = await signIn(app)
  const forged = { authorization: 'Bearer a.b.c' }
  const ask = async (url: string, headers: Record<string, string> = {}) => {
    const response = await app.inject({ url, headers })
    return [response.statusCode, response.json().data ?? response.json().message]
  }

  t.test('a route that forgot its guard and asks for its viewer serves nobody else', async t => {
    t.strictSame(await ask('/unguarded', headers), [200, 1])
    t.strictSame(await ask('/unguarded'), [401, 'Unauthenticated.'])
    t.strictSame(await ask('/unguarded', forged), [401, 'Unauthenticated.'])
  })
  t.test('a route for whom may have a token serves those without one, but none with a wrong one', async t => {
    t.strictSame(await ask('/optional'), [200, 'anybody'])
    t.strictSame(await ask('/optional', headers), [200, 'a viewer'])
    t.strictSame(await ask('/optional', forged), [401, 'Unauthenticated.'])
  })
})

t.test('what held the event loop at the start refuses nobody', async t => {
  const app = await build(t, { settings: { MAX_EVENT_LOOP_DELAY: '50' } })
  const hold = performance.now() + 1500
  while (performance.now() < hold);
  for (const until = performance.now() + 100; performance.now() < until; await turn()) t.equal((await app.inject('/terms')).statusCode, 200)
})

t.test('while the event loop is held, only what balancers ask is answered', async t => {
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
  t.equal((await comesTo(200, () => undefined)).statusCode, 200, 'and all is when it is free again')
})

t.test('an app that drains serves on, asks callers to leave and says that it is not ready', async t => {
  const app = await build(t, { settings: { DRAIN_DELAY: '100' } })
  t.equal((await app.inject('/terms')).headers.connection, 'keep-alive')
  const began = performance.now()
  const drained = app.drain()
  t.equal((await app.inject('/ready')).statusCode, 503)
  for (const url of ['/health', '/terms']) {
    const { statusCode, headers } = await app.inject(url)
    t.strictSame([statusCode, headers.connection], [200, 'close'], url)
  }
  await drained
  t.ok(performance.now() - began >= 99, 'for DRAIN_DELAY')
})

t.test('a connection that never sends a byte does not hold the end up', async t => {
  const app = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const idle = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  const [connected, closed] = [once(idle, 'connect'), once(idle, 'close')]
  await connected
  await app.inject('/health')
  const began = performance.now()
  await app.close()
  await closed
  const took = performance.now() - began
  t.ok(took < 3000, `it took ${took} ms`)
})

t.test('answers that are ready in one turn of the event loop leave together', async t => {
  const order: string[] = []
  const app = await build(t, {
    extend: app =>
      void app.get('/asked/:n', { config: { admission: 'public' } }, ({ params }, reply) => {
        const { n } = params as { n: string }
        order.push(`asked ${n}`)
        reply.raw.once('finish', () => order.push(`sent ${n}`))
        return { n }
      })
  })
  const answers = await Promise.all([app.inject('/asked/1'), app.inject('/asked/2'), app.inject('/asked/3')])
  for (const { statusCode } of answers) t.equal(statusCode, 200)
  t.strictSame(order, ['asked 1', 'asked 2', 'asked 3', 'sent 1', 'sent 2', 'sent 3'])
})
