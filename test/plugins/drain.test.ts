import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { build } from '../helpers/app.js'

t.test('until the service is prepared', async t => {
  t.test('a preparation that fails is repeated, those before it are not', async t => {
    const done: string[] = []
    const app = await build(t, {
      extend: app =>
        app.preparations.push(
          async () => void done.push('first'),
          async () => {
            if (done.push('second') < 3) throw new Error('not yet')
          }
        )
    })
    t.strictSame(done, ['first', 'second', 'second'])
    t.equal((await app.inject('/ready')).statusCode, 200)
  })
})

t.test('the drain', async t => {
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
    t.ok(performance.now() - began >= 99, 'it waits for DRAIN_DELAY')
  })

  t.test('requests on connections that Node has not accepted yet are served', async t => {
    const app = await build(t)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const callers = Array.from({ length: 50 }, () =>
      connect(port, '127.0.0.1', function (this: Socket) {
        this.end('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
      })
    )
    const answers = Promise.allSettled(callers.map(text))
    await once(callers.at(-1) as Socket, 'connect')
    await app.close()
    t.strictSame(
      (await answers).map(answer => (answer.status === 'fulfilled' ? answer.value.slice(0, 12) : answer.reason.code)),
      callers.map(() => 'HTTP/1.1 200')
    )
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

  t.test('a connection whose request is still served when the idle ones are closed gets its answer', async t => {
    let ask = () => {}
    const asked = new Promise<void>(resolve => {
      ask = resolve
    })
    const app = await build(t, {
      extend: app =>
        void app.get('/slow', { config: { admission: 'static' } }, () => {
          ask()
          return sleep(1000, 'served')
        })
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const idle = connect(port, '127.0.0.1').on('error', () => undefined)
    const busy = connect(port, '127.0.0.1', function (this: Socket) {
      this.write('GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    })
    const [closed, answer] = [once(idle, 'close'), text(busy)]
    await asked
    await app.close()
    await closed
    t.match(await answer, /served$/)
  })
})
