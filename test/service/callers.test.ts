import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { assertFailure } from '../helpers/answers.js'
import { type App, addUser, build, password, signIn } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { listening, parsed, talk } from '../helpers/sockets.js'
import { until } from '../helpers/until.js'

t.test('slow callers', async t => {
  const key = 'a key of the tests that nobody guesses'

  // Slow, because the 10 seconds are not a setting.
  t.test('a request that does not arrive within 10 seconds', async t => {
    const app = await listening(t, { LOGIN_LIMIT: '0', IMPORT_KEY: key })
    const credentials = JSON.stringify({ email: (await addUser(app)).email, password })
    const close = 'Host: x\r\nConnection: close\r\n'
    const start = performance.now()
    const timed = async (...pieces: (string | number)[]) => {
      const answer = await talk(app, ...pieces)
      return { ...parsed(answer), times: answer.match(/HTTP\/1\.1 \d/g)?.length, seconds: (performance.now() - start) / 1000 }
    }
    const trickle = Array.from({ length: 28 }, () => [500, 'x']).flat()
    const late = {
      'a head': timed('GET /health HTTP/1.1\r\nHost: x\r\n'),
      'a head that trickles': timed('GET /health HTTP/1.1\r\nx: ', ...trickle),
      'a body': timed('POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email"'),
      'a body that trickles': timed('POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email":"', ...trickle),
      'a body in chunks': timed('POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n')
    }
    const behind = talk(app, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /terms/5 HTTP/1.1\r\nHost: x\r\n\r\nGET /health HTTP/1.1\r\n')
    const slow = {
      'a body of 4 s': timed(`POST /login HTTP/1.1\r\n${close}Content-Length: ${credentials.length}\r\n\r\n`, 4000, credentials),
      'a body of 8 s': timed(
        `POST /login HTTP/1.1\r\n${close}Content-Length: ${credentials.length}\r\n\r\n${credentials.slice(0, 9)}`,
        8000,
        credentials.slice(9)
      ),
      'an import of 13 s': timed(
        `POST /import/contents HTTP/1.1\r\n${close}Authorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`,
        ...Array.from({ length: 13 }, (): [number, string] => [1000, '1\r\n\n\r\n']).flat(),
        '0\r\n\r\n'
      ),
      'a head of 8 s': timed('GET /health HTTP/1.1\r\n', 8000, `${close}\r\n`)
    }
    for (const [what, answer] of Object.entries(slow)) t.equal((await answer).statusCode, 200, `${what} is in time`)
    for (const [what, answer] of Object.entries(late)) {
      const response = await answer
      assertFailure(t, response, 408, what)
      t.equal(response.times, 1, what)
      t.ok(response.seconds >= 9.5 && response.seconds < 14, `${what}: ${response.seconds} s`)
    }
    t.strictSame((await behind).match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '404', '408'], 'the requests before the slow one were answered')
  })

  t.test('an upload that a stopping service does not wait for', async t => {
    const app = await listening(t, { IMPORT_KEY: key })
    const head = `POST /import/contents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 9\r\n\r\n`
    const answer = talk(app, head)
    await until(
      async () =>
        (await databaseOf(app)
          .collection('leases')
          .countDocuments({ holder: { $exists: true } })) > 0
    )
    const closed = app.close()
    assertFailure(t, parsed(await answer), 503, 'the caller is asked to come back later')
    await closed
  })
})

t.test('callers that hang up', async t => {
  const listening = async (t: Test, log: string[] = [], settings: Record<string, string> = {}) => {
    const app = await build(t, {
      log,
      settings: { LOGIN_LIMIT: '0', MAX_IN_PROGRESS: '8', ...settings },
      extend: app => void app.get('/slow', { config: { admission: 'public' } }, async () => sleep(50, { success: true }))
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app
  }
  const portOf = (app: App) => (app.server.address() as AddressInfo).port

  /** Sends the bytes, and breaks the connection after these milliseconds, by an end or by a reset. */
  const hangUp = async (app: App, bytes: string, after: number, how: 'destroy' | 'resetAndDestroy' = 'destroy') => {
    const socket = connect(portOf(app), '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(bytes)
    await sleep(after)
    socket[how]()
  }

  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
  const post = (path: string, body: string, headers = '') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

  const openFiles = async () => {
    const names = await readdir('/proc/self/fd')
    const paths = await Promise.all(names.map(name => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return paths.filter(path => path.endsWith('swagger-ui-bundle.js')).length
  }

  t.test('callers who hang up in the middle of a request or of an answer', async t => {
    const log: string[] = []
    const app = await listening(t, log)
    const { authorization } = await signIn(app)
    const token = `Authorization: ${authorization}\r\n`
    const report = post('/history', JSON.stringify({ content_id: 1, time: 5 }), token)
    const requests = {
      'an answer that is being made': get('/slow'),
      'one from the database': get('/history', token),
      'several in a row': get('/slow').repeat(5),
      'large ones in a row': get('/docs/static/swagger-ui-bundle.js').repeat(5),
      'a login': post('/login', JSON.stringify({ email: 'ada@example.com', password })),
      'half a report': report.slice(0, -3),
      'half a head': report.slice(0, 40),
      'half a chunk': 'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"email'
    }
    for (const [what, bytes] of Object.entries(requests)) {
      t.test(what, async t => {
        for (const after of [0, 1, 5, 25]) {
          await hangUp(app, bytes, after)
          await hangUp(app, bytes, after, 'resetAndDestroy')
        }
        // As many as may wait at once: callers who hung up must have given their places back.
        const end = performance.now() + 20_000
        let statuses: number[] = []
        while (performance.now() < end && statuses.filter(status => status === 200).length < 8)
          statuses = await Promise.all(Array.from({ length: 8 }, async () => (await app.inject('/slow')).statusCode))
        t.strictSame(statuses, Array(8).fill(200), 'hang-ups leave no trace')
      })
    }
    const troubles = log.map(line => JSON.parse(line)).filter(({ level, status }) => level >= 40 || status === 500)
    t.strictSame(troubles, [], 'hang-ups are not logged')
    if (process.platform === 'linux') t.equal(await openFiles(), 0, 'no file stays open')
  })

  t.test('a caller who reads slowly is given all of it', async t => {
    const log: string[] = []
    const app = await listening(t, log, { DATABASE_TIMEOUT: '500' })
    const socket = connect(portOf(app), '127.0.0.1').pause()
    await once(socket, 'connect')
    socket.write(get('/docs/static/swagger-ui-bundle.js').repeat(6))
    socket.write(get('/health', 'Connection: close\r\n'))
    await sleep(1500)
    const answers = (await text(socket)).match(/HTTP\/1\.1 \d{3}/g)
    t.strictSame(answers, Array(7).fill('HTTP/1.1 200'), 'longer than DATABASE_TIMEOUT')
    t.strictSame(
      log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40),
      []
    )
  })

  t.test('callers who hung up do not delay a stop', async t => {
    const app = await listening(t)
    for (let i = 0; i < 4; i++) await hangUp(app, get('/slow').repeat(3), 5)
    const silent = connect(portOf(app), '127.0.0.1').on('error', () => undefined)
    await once(silent, 'connect')
    await app.inject('/health')
    const began = performance.now()
    await app.close()
    const took = performance.now() - began
    t.ok(took < 3000, `it took ${took} ms`)
  })

  t.test('CONNECT is refused, because there are no tunnels', async t => {
    const app = await listening(t)
    for (const target of ['example.com:443', '/health']) {
      const socket = connect(portOf(app), '127.0.0.1')
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
      const [head, body = ''] = (await text(socket)).split('\r\n\r\n')
      t.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/)
      t.match(head, /content-type: application\/json/i)
      t.match(head, /content-security-policy: default-src 'none'/)
      t.strictSame(JSON.parse(body), { success: false, code: 400, message: 'The request is malformed' })
      await hangUp(app, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`, 0, 'resetAndDestroy')
    }
    t.equal((await app.inject('/health')).statusCode, 200)
  })
})
