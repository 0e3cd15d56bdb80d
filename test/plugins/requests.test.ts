import { once } from 'node:events'
import { METHODS } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { poll } from '../../plugins/preparation.js'
import { assertFailure, expectedFailure, failureOf, malformed, notFound, post } from '../helpers/answers.js'
import { addUser, build, buildWith, password, signIn } from '../helpers/app.js'
import { content } from '../helpers/documents.js'
import { turnsDuring } from '../helpers/event-loop.js'
import { until } from '../helpers/until.js'
import { paths } from './helper.js'

t.test('errors', async t => {
  t.test('an internal error is a 500 that does not reveal it, and a log line that does', async t => {
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
      { level: 50, reqId: response.headers['x-request-id'], err: { message: 'a secret of the inside', stack: /requests\.test/ } }
    ])
    t.equal(told.length, 1)
  })

  t.test('a 404 of a library has the body of the service', async t => {
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
})

t.test('JSON bodies', async t => {
  t.test('the service', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
    const { email } = await addUser(app)
    const credentials = JSON.stringify({ email, password })

    t.test('reads bodies up to 64 KiB', async t => {
      const padded = (size: number) => `${credentials.slice(0, -1)},"x":"${'x'.repeat(size - credentials.length - 7)}"}`
      t.equal(padded(65_536).length, 65_536)
      t.equal((await post(app, '/login', padded(65_536))).statusCode, 200)
      assertFailure(t, await post(app, '/login', padded(65_537)), 413, 'one byte too many')
      assertFailure(t, await post(app, '/login', 'x'.repeat(1_000_000)), 413, 'a megabyte of garbage')
      assertFailure(t, await post(app, '/login', `"${'ä'.repeat(32_768)}"`), 413, 'bytes count, not characters')
      const { authorization } = await signIn(app)
      assertFailure(t, await post(app, '/logout', padded(65_537), { authorization }), 413, 'where the body is not used')
    })

    t.test('refuses a body that is no JSON', async t => {
      const bodies = [
        malformed,
        '{',
        'nonsense',
        '{"a":1,}',
        "{'a':1}",
        '{"a":NaN}',
        '{} {}',
        'email=a&password=b',
        '\u0000',
        '[1',
        '"\u0001"',
        '<a/>',
        ' ',
        '\n',
        'undefined',
        '{"a":01}'
      ]
      for (const payload of bodies) assertFailure(t, await post(app, '/login', payload), 400, JSON.stringify(payload))
    })

    t.test('refuses a body that is no UTF-8', async t => {
      const cut = Buffer.concat([Buffer.from(`{"email":"${email}","password":"`), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
      const bodies = [cut, Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xc0, 0x80])]
      for (const payload of bodies) assertFailure(t, await post(app, '/login', payload), 400, payload.toString('hex').slice(-20))
    })

    t.test('reads JSON whatever the content type says', async t => {
      const types = [
        'application/json',
        'application/json; charset=utf-8',
        'application/json; charset=latin1',
        'APPLICATION/JSON',
        'application/vnd.api+json',
        'text/plain',
        'text/html',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'multipart/form-data; boundary=x',
        'application/octet-stream',
        'image/png',
        '*/*',
        'nonsense',
        'a/b/c',
        ';',
        '/',
        ' ',
        ''
      ]
      for (const type of types) {
        t.equal((await post(app, '/login', credentials, { 'content-type': type })).statusCode, 200, `"${type}"`)
        assertFailure(t, await post(app, '/login', malformed, { 'content-type': type }), 400, `"${type}"`)
      }
      t.equal((await post(app, '/login', credentials, {})).statusCode, 200, 'without a content type')
      t.equal(
        (await post(app, '/login', credentials, { format: 'application/json' })).statusCode,
        200,
        'with the Format header of the specification'
      )
    })

    t.test('takes an empty body for no error', async t => {
      for (const headers of [
        { 'content-type': 'application/json' },
        { 'content-type': 'application/json', 'content-length': '0' },
        { 'content-type': 'text/plain' },
        {}
      ]) {
        const response = await app.inject({ method: 'POST', url: '/logout', headers: { ...(await signIn(app)), ...headers } })
        t.equal(response.statusCode, 200, JSON.stringify(headers))
        assertFailure(t, await app.inject({ method: 'DELETE', url: '/nothing', headers }), 404, 'DELETE')
      }
    })

    t.test('is not harmed by keys of the language', async t => {
      const inner = `{"email":"${email}","password":"${password}","polluted":true}`
      for (const payload of [`{"__proto__":${inner}}`, `{"constructor":{"prototype":${inner}}}`, `{"a":{"__proto__":${inner}}}`]) {
        const response = await post(app, '/login', payload)
        assertFailure(t, response, 400, payload.slice(0, 20))
        t.strictSame(
          response
            .json()
            .errors.map(({ field }: { field: string }) => field)
            .sort(),
          ['email', 'password']
        )
      }
      for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '']) {
        for (const value of ['{"polluted":true}', 'null', '5']) {
          const response = await post(app, '/login', `${credentials.slice(0, -1)},"${key}":${value}}`)
          t.equal(response.statusCode, 200, `${key}: ${value}`)
        }
      }
      t.equal(({} as { polluted?: boolean }).polluted, undefined)
    })

    t.test('is not harmed by deep nesting', async t => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}']
      ] as const) {
        const depth = Math.floor(60_000 / (open.length + close.length))
        const deep = `${open.repeat(depth)}1${close.repeat(depth)}`
        assertFailure(t, await post(app, '/login', deep), 400, `${open} as the body`)
        assertFailure(t, await post(app, '/login', open.repeat(60_000 / open.length)), 400, `${open} without an end`)
        t.equal((await post(app, '/login', `${credentials.slice(0, -1)},"x":${deep}}`)).statusCode, 200, `${open} in an ignored field`)
      }
      assertFailure(t, await post(app, '/login', `{${'"a":1,'.repeat(8000)}"a":1}`), 400, 'a key that is repeated thousands of times')
    })
  })

  t.test('bodies of nothing but brackets delay no other caller', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
    const brackets = '['.repeat(32_000) + ']'.repeat(32_000)
    const crowd = () => Promise.all(Array.from({ length: 40 }, () => post(app, '/login', brackets)))
    const { turns, result: answers } = await turnsDuring(crowd)
    for (const answer of answers) assertFailure(t, answer, 400, 'brackets')
    // The first one runs in the turn in which it came.
    t.ok(turns >= 39, `${turns} turns`)
  })
})

t.test('unknown routes', async t => {
  // CONNECT asks a proxy for a tunnel and names no path.
  const methods = METHODS.filter(method => method !== 'CONNECT')
  const common = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
  type Method = 'GET'

  t.test('the service', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
    const { email } = await addUser(app)
    const credentials = JSON.stringify({ email, password })

    t.test('does not find an unknown path, whatever the method', async t => {
      for (const method of methods) {
        const response = await app.inject({ method: method as Method, url: '/nothing/here' })
        if (method === 'HEAD') t.equal(response.statusCode, 404)
        else
          t.strictSame([response.statusCode, response.json()], [404, { success: false, code: 404, message: 'Resource not found' }], method)
      }
    })

    t.test('does not find an unknown path, whatever the body', async t => {
      const bodies = [malformed, '', '[]', 'null', Buffer.from([0xff, 0xfe]), 'x'.repeat(70_000), '{"__proto__":1}']
      for (const payload of bodies)
        assertFailure(t, await post(app, '/nothing', payload), 404, String(payload).slice(0, 10), 'Resource not found')
    })

    t.test('does not find a path that is only like a known one', async t => {
      const near = [
        '/',
        '/Health',
        '/LOGIN',
        '/health/',
        '/login/',
        '/logout/',
        '/login/refresh/',
        '//login',
        '/login//refresh',
        '/login/other',
        '/health;x',
        '/.',
        '/login.json',
        `/${'x'.repeat(8000)}`,
        '/%00',
        '/log%69n/x',
        '/__proto__',
        '/constructor',
        '/*',
        '/:id'
      ]
      for (const url of near) {
        assertFailure(t, await post(app, url, credentials), 404, `POST ${url.slice(0, 20)}`, 'Resource not found')
        assertFailure(t, await app.inject(url), 404, `GET ${url.slice(0, 20)}`, 'Resource not found')
      }
    })

    t.test('knows a path however it is written, for rare methods as for common ones', async t => {
      for (const url of ['/login?x=/y', '/log%69n', '/docs/static/x.css'])
        for (const method of ['PATCH', 'PROPFIND']) {
          const { statusCode, headers } = await app.inject({ method: method as Method, url })
          t.strictSame([statusCode, headers.allow], [405, url.startsWith('/docs') ? 'GET, HEAD' : 'POST'], `${method} ${url}`)
        }
      for (const method of ['PATCH', 'PROPFIND'])
        t.equal((await app.inject({ method: method as Method, url: '/login%2Frefresh' })).statusCode, 404, method)
    })

    for (const [url, allowed] of Object.entries(paths)) {
      const wrong = methods.filter(method => !allowed.includes(method))
      for (const [kind, names] of [
        ['common', wrong.filter(method => common.includes(method))],
        ['rare', wrong.filter(method => !common.includes(method))]
      ] as const) {
        t.test(`refuses ${kind} methods that ${url} has not, and says which it has`, async t => {
          const seen = []
          for (const method of names) {
            for (const payload of [undefined, malformed]) {
              const headers = payload ? { 'content-type': 'application/json' } : {}
              const response = await app.inject({ method: method as Method, url, headers, ...(payload ? { payload } : {}) })
              const allow = String(response.headers.allow ?? '').split(', ')
              seen.push([method, ...allow.sort(), method === 'HEAD' ? response.statusCode : failureOf(response)])
            }
          }
          t.strictSame(
            seen,
            names.flatMap(method =>
              [undefined, malformed].map(() => [method, ...[...allowed].sort(), method === 'HEAD' ? 405 : expectedFailure(405)])
            )
          )
        })
      }
    }
  })
})

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

  /** An app with a content whose words are read after `before`. */
  const withWords = async (t: Test, before: (app: FastifyInstance) => Promise<void>) =>
    buildWith(
      t,
      { contents: [content(1, { name: 'Fjord' })] },
      {
        extend: app => {
          const { contents } = app.pollData
          const { words } = contents
          const read = async function* (ids?: number[]) {
            await before(app)
            yield* words(ids)
          }
          Object.assign(contents, { words: read })
        }
      }
    )

  const statusesOf = async (app: FastifyInstance) => {
    const answers = ['/ready', '/contents', '/contents?search=fjord'].map(path => app.inject(path))
    return (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  }

  t.test('it is not ready before its searches are, but serves other requests', async t => {
    const meanwhile: number[][] = []
    const app = await withWords(t, async app => void meanwhile.push(await statusesOf(app)))
    t.strictSame(meanwhile, [[503, 200, 503]])
    t.strictSame(await statusesOf(app), [200, 200, 200])
  })

  t.test('it becomes ready without searches if their words cannot be read', async t => {
    let isBroken = true
    const app = await withWords(t, async () => {
      if (isBroken) throw new Error('the words cannot be read')
    })
    t.strictSame(await statusesOf(app), [200, 200, 503])
    isBroken = false
    await until(async () => (await app.inject('/contents?search=fjord')).statusCode === 200)
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

t.test('poll', { jobs: 2 }, async t => {
  t.test('looks each second, from a second after the start until it is told to stop', async t => {
    const stop = new AbortController()
    const looks: number[] = []
    const began = performance.now()
    const following = poll(
      async () => void looks.push(performance.now() - began),
      stop.signal,
      fault => t.fail(String(fault))
    )
    await until(() => looks.length === 2)
    stop.abort()
    await following
    for (const [n, at] of looks.entries()) t.ok(at >= (n + 1) * 990, `look ${n + 1} after ${at} ms`)
  })

  t.test('reports the first of consecutive failures, and none after it was told to stop', async t => {
    const stop = new AbortController()
    const outcomes = ['fault', 'fault', 'fine', 'fault', 'fine', 'last']
    const told: string[] = []
    await poll(
      async () => {
        const outcome = outcomes.shift()
        if (outcome === 'last') stop.abort()
        if (outcome !== 'fine') throw new Error(`${outcome}, with ${outcomes.length} to come`)
      },
      stop.signal,
      fault => told.push((fault as Error).message)
    )
    t.strictSame(told, ['fault, with 5 to come', 'fault, with 2 to come'])
  })
})
