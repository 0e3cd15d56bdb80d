import { once } from 'node:events'
import { METHODS, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { turnsDuring } from './event-loop.js'
import { type App, addUser, build, password, signIn } from './helper.js'

/** Every known path with the methods that it has. */
const paths: Record<string, string[]> = {
  '/health': ['GET', 'HEAD'],
  '/ready': ['GET', 'HEAD'],
  '/openapi.json': ['GET', 'HEAD'],
  '/docs': ['GET', 'HEAD'],
  '/login': ['POST'],
  '/login/refresh': ['POST'],
  '/logout': ['POST'],
  '/contents': ['GET', 'HEAD'],
  '/contents/1': ['GET', 'HEAD'],
  '/terms': ['GET', 'HEAD'],
  '/terms/1': ['GET', 'HEAD'],
  '/rail-collections': ['GET', 'HEAD'],
  '/legal': ['GET', 'HEAD'],
  '/legal/en': ['GET', 'HEAD'],
  '/schedule': ['GET', 'HEAD'],
  '/support/context/login/texts': ['GET', 'HEAD'],
  '/history': ['DELETE', 'GET', 'HEAD', 'POST'],
  '/history/0123456789abcdef01234567': ['DELETE', 'GET', 'HEAD', 'PUT'],
  '/watchlist': ['DELETE', 'GET', 'HEAD', 'POST'],
  '/watchlist/1': ['DELETE', 'GET', 'HEAD'],
  '/continue-watching': ['GET', 'HEAD'],
  '/continue-watching/1': ['DELETE']
}
// CONNECT asks a proxy for a tunnel and names no path.
const methods = METHODS.filter(method => method !== 'CONNECT')
const common = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
type Method = 'GET'
const malformed = '{"email":'

type Answer = Awaited<ReturnType<App['inject']>>

const json = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One assertion, since there are thousands of these. */
const isFailure = (t: Test, response: Pick<Answer, 'statusCode' | 'headers' | 'body'>, status: number, what: string, message?: string) => {
  const { errors, ...body } = json(response.body) ?? {}
  const isJson = /^application\/json/.test(String(response.headers['content-type']))
  const { code, success, message: said, ...more } = body
  const isSaid = message === undefined ? /\w+ \w+/.test(said) : said === message
  t.strictSame(
    { statusCode: response.statusCode, isJson, code, success, isSaid, more },
    { statusCode: status, isJson: true, code: status, success: false, isSaid: true, more: {} },
    `${what}: ${said}`
  )
}

const post = (app: App, url: string, payload: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  app.inject({ method: 'POST', url, headers, payload })

/** Writes bytes to a connection, with pauses where a number stands, and reads what comes until the other side ends it. */
const talk = async (app: App, ...pieces: (string | Buffer | number)[]) => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const gone = new AbortController()
  const answer = text(socket)
    .catch((error: NodeJS.ErrnoException) => String(error.code))
    .finally(() => gone.abort())
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  for (const piece of pieces) {
    if (gone.signal.aborted) break
    if (typeof piece === 'number') await sleep(piece, undefined, { signal: gone.signal }).catch(() => undefined)
    else socket.write(piece)
  }
  return answer
}

const parsed = (answer: string) => {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(header => [header.split(':', 1)[0]?.toLowerCase(), header.slice(header.indexOf(':') + 1).trim()])
  )
  return { statusCode: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}

const listening = async (t: Test, settings: Record<string, string> = {}) => {
  const app = await build(t, { settings })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

const tests: [name: string, body: (t: Test) => Promise<void>][] = []
const test = (...given: (typeof tests)[number]) => tests.push(given)

// The one slow test, beside all others: the 10 seconds are no setting.
test('what is not there in 10 seconds', async t => {
  const app = await listening(t, { LOGIN_LIMIT: '0' })
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
    'a head of 8 s': timed('GET /health HTTP/1.1\r\n', 8000, `${close}\r\n`)
  }
  for (const [what, answer] of Object.entries(slow)) t.equal((await answer).statusCode, 200, `${what} is in time`)
  for (const [what, answer] of Object.entries(late)) {
    const response = await answer
    isFailure(t, response, 408, what)
    t.equal(response.times, 1, what)
    t.ok(response.seconds >= 9.5 && response.seconds < 14, `${what}: ${response.seconds} s`)
  }
  t.strictSame((await behind).match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '404', '408'], 'behind those that were in time')
})

test('the service', async t => {
  // Answers from memory leave the loop of events no turn, and the databases of the tests beside this one wait for one.
  t.beforeEach(() => turn())
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  const { email } = await addUser(app)
  const credentials = JSON.stringify({ email, password })

  t.test('does not find an unknown path, whatever the method', async t => {
    for (const method of methods) {
      const response = await app.inject({ method: method as Method, url: '/nothing/here' })
      if (method === 'HEAD') t.equal(response.statusCode, 404)
      else t.strictSame([response.statusCode, response.json()], [404, { success: false, code: 404, message: 'Resource not found' }], method)
    }
  })

  t.test('does not find an unknown path, whatever the body', async t => {
    const bodies = [malformed, '', '[]', 'null', Buffer.from([0xff, 0xfe]), 'x'.repeat(70_000), '{"__proto__":1}']
    for (const payload of bodies)
      isFailure(t, await post(app, '/nothing', payload), 404, String(payload).slice(0, 10), 'Resource not found')
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
      isFailure(t, await post(app, url, credentials), 404, `POST ${url.slice(0, 20)}`, 'Resource not found')
      isFailure(t, await app.inject(url), 404, `GET ${url.slice(0, 20)}`, 'Resource not found')
    }
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
            const allow = String(response.headers.allow ?? '')
              .split(', ')
              .sort()
            seen.push([method, response.statusCode, ...allow])
            if (method !== 'HEAD' && response.statusCode === 405) isFailure(t, response, 405, method)
          }
        }
        t.strictSame(
          seen,
          names.flatMap(method => [undefined, malformed].map(() => [method, 405, ...[...allowed].sort()]))
        )
      })
    }
  }

  t.test('reads bodies up to 64 KiB', async t => {
    const padded = (size: number) => `${credentials.slice(0, -1)},"x":"${'x'.repeat(size - credentials.length - 7)}"}`
    t.equal(padded(65_536).length, 65_536)
    t.equal((await post(app, '/login', padded(65_536))).statusCode, 200)
    isFailure(t, await post(app, '/login', padded(65_537)), 413, 'one byte more')
    isFailure(t, await post(app, '/login', 'x'.repeat(1_000_000)), 413, 'a megabyte of garbage')
    isFailure(t, await post(app, '/login', `"${'ä'.repeat(32_768)}"`), 413, 'it is bytes that count')
    const { authorization } = await signIn(app)
    isFailure(t, await post(app, '/logout', padded(65_537), { authorization }), 413, 'where the body is of no use')
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
    for (const payload of bodies) isFailure(t, await post(app, '/login', payload), 400, JSON.stringify(payload))
  })

  t.test('refuses a body that is no UTF-8', async t => {
    const cut = Buffer.concat([Buffer.from(`{"email":"${email}","password":"`), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
    const bodies = [cut, Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xc0, 0x80])]
    for (const payload of bodies) isFailure(t, await post(app, '/login', payload), 400, payload.toString('hex').slice(-20))
  })

  t.test('refuses malformed percent-encoding', async t => {
    for (const url of ['/%', '/login%', '/%zz', '/login%2', '/%E0%A4%A', '/%C3%28', '/%ff', '/docs/%', '/docs/static/%E0%A4%A']) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        isFailure(t, await app.inject({ method, url }), 400, `${method} ${url}`)
      }
    }
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
      isFailure(t, await post(app, '/login', malformed, { 'content-type': type }), 400, `"${type}"`)
    }
    t.equal((await post(app, '/login', credentials, {})).statusCode, 200, 'without one')
    t.equal((await post(app, '/login', credentials, { format: 'application/json' })).statusCode, 200, 'as the spec announces it')
  })

  t.test('takes an empty body for no error', async t => {
    const { authorization } = await signIn(app)
    for (const headers of [
      { 'content-type': 'application/json' },
      { 'content-type': 'application/json', 'content-length': '0' },
      { 'content-type': 'text/plain' },
      {}
    ]) {
      const response = await app.inject({ method: 'POST', url: '/logout', headers: { authorization, ...headers } })
      t.equal(response.statusCode, 200, JSON.stringify(headers))
      isFailure(t, await app.inject({ method: 'DELETE', url: '/nothing', headers }), 404, 'DELETE')
    }
  })

  t.test('is not harmed by keys of the language', async t => {
    const inner = `{"email":"${email}","password":"${password}","polluted":true}`
    for (const payload of [`{"__proto__":${inner}}`, `{"constructor":{"prototype":${inner}}}`, `{"a":{"__proto__":${inner}}}`]) {
      const response = await post(app, '/login', payload)
      isFailure(t, response, 400, payload.slice(0, 20))
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
      isFailure(t, await post(app, '/login', deep), 400, `${open} as the body`)
      isFailure(t, await post(app, '/login', open.repeat(60_000 / open.length)), 400, `${open} without an end`)
      t.equal((await post(app, '/login', `${credentials.slice(0, -1)},"x":${deep}}`)).statusCode, 200, `${open} in a field that is ignored`)
    }
    isFailure(t, await post(app, '/login', `{${'"a":1,'.repeat(8000)}"a":1}`), 400, 'a key thousands of times')
  })

  t.test('takes odd queries and methods of writing an address without a fault inside', async t => {
    for (const url of [
      '/health?',
      '/health?a=1&a=2',
      '/health?__proto__[x]=1',
      '/health?a[]=1&a[b]=2',
      `/health?${'a&'.repeat(3000)}`,
      '/health?x=%C3%A4',
      '/health#top'
    ]) {
      t.equal((await app.inject(url)).statusCode, 200, url.slice(0, 30))
    }
  })

  t.test('names every answer', async t => {
    const answers = [
      await app.inject('/health'),
      await app.inject('/nothing'),
      await app.inject('/%'),
      await app.inject('/login'),
      await post(app, '/login', malformed),
      await post(app, '/logout', ''),
      await post(app, '/login', 'x'.repeat(70_000)),
      await post(app, '/login', credentials)
    ]
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    for (const [i, id] of ids.entries()) t.match(id, /^[\w-]{8,}$/, String(answers[i]?.statusCode))
    t.equal(new Set(ids).size, ids.length)
    const own = await app.inject({ url: '/health', headers: { 'x-request-id': 'evil\nid', 'request-id': 'evil' } })
    t.notMatch(own.headers['x-request-id'], 'evil')
  })

  t.test('guards browsers, and says nothing of what it is made of', async t => {
    for (const url of ['/health', '/nothing', '/login', '/%', '/openapi.json', '/docs']) {
      const { headers } = await app.inject(url)
      t.equal(headers['x-content-type-options'], 'nosniff', url)
      t.match(headers['content-security-policy'], /default-src/, url)
      t.match(headers['strict-transport-security'], /max-age=\d+/, url)
      t.ok(headers['x-frame-options'] || /frame-ancestors/.test(String(headers['content-security-policy'])), url)
      t.strictSame([headers['x-powered-by'], headers.server], [undefined, undefined], url)
    }
  })

  t.test('keeps tokens out of caches', async t => {
    const answer = await post(app, '/login', credentials)
    t.match(answer.headers['cache-control'], /no-store/)
  })

  t.test('answers /health and /ready', async t => {
    for (const url of ['/health', '/ready']) {
      const response = await app.inject(url)
      t.equal(response.statusCode, 200)
      t.match(response.json(), { success: true, data: {} })
      const head = await app.inject({ method: 'HEAD', url })
      t.strictSame([head.statusCode, head.body], [200, ''])
    }
  })

  t.test('describes itself', async t => {
    const response = await app.inject('/openapi.json')
    t.equal(response.statusCode, 200)
    t.match(response.headers['content-type'], /^application\/json/)
    const { openapi, paths: described } = response.json()
    t.match(openapi, /^3\./)
    for (const path of ['/login', '/login/refresh', '/logout', '/health', '/ready']) t.ok(described[path], path)

    let page = await app.inject('/docs')
    if (page.statusCode >= 300 && page.statusCode < 400)
      page = await app.inject(new URL(String(page.headers.location), 'http://x/docs').pathname)
    t.equal(page.statusCode, 200)
    t.match(page.headers['content-type'], /^text\/html/)
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => new URL(String(file), 'http://x/docs').pathname)
    t.ok(files.length > 0)
    for (const file of files) t.equal((await app.inject(file)).statusCode, 200, file)
  })
})

test('rate limits', async t => {
  const isTooMany = (t: Test, response: Answer, what: string) => {
    isFailure(t, response, 429, what)
    t.match(response.headers['retry-after'], /^([1-9]|[1-5]\d|60)$/, what)
  }
  const get = (app: App, url: string, headers = {}, remoteAddress = '127.0.0.1') => app.inject({ url, headers, remoteAddress })

  t.test('RATE_LIMIT counts by user, at whichever address', async t => {
    const app = await build(t, { settings: { RATE_LIMIT: '3' } })
    const [user, other] = [await addUser(app), await addUser(app)]
    const logOut = async (who: { _id: number }, address: string) =>
      app.inject({ method: 'POST', url: '/logout', headers: await signIn(app, who), remoteAddress: address })
    for (let i = 1; i <= 3; i++) t.equal((await logOut(user, `192.0.2.${i}`)).statusCode, 200)
    isTooMany(t, await logOut(user, '192.0.2.4'), 'with another token and address')
    isTooMany(t, await get(app, '/openapi.json', await signIn(app, user)), 'where no token is wanted')
    t.equal((await logOut(other, '192.0.2.1')).statusCode, 200, 'another user')
    for (let i = 0; i < 6; i++) t.equal((await get(app, '/openapi.json')).statusCode, 200, 'without a token')
    for (const url of ['/health', '/ready']) t.equal((await get(app, url, await signIn(app, user))).statusCode, 200, url)
  })

  t.test('RATE_LIMIT_ADDRESS counts by address', async t => {
    const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '6' } })
    const signedIn = await signIn(app)
    const forged = { authorization: 'Bearer nonsense' }
    const counted = [
      await get(app, '/nothing'),
      await get(app, '/login'),
      await get(app, '/openapi.json'),
      await get(app, '/login', forged),
      await post(app, '/logout', '', forged),
      await post(app, '/login', malformed)
    ]
    t.strictSame(
      counted.map(({ statusCode }) => statusCode),
      [404, 405, 200, 405, 401, 400]
    )
    isTooMany(t, await get(app, '/openapi.json'), 'a known path')
    isTooMany(t, await get(app, '/nothing'), 'an unknown path')
    isTooMany(t, await get(app, '/nothing', forged), 'an invalid token')
    isTooMany(t, await get(app, '/login'), 'a wrong method')
    isTooMany(t, await get(app, '/%'), 'malformed percent-encoding')
    isTooMany(t, await post(app, '/login', malformed), 'a malformed body')
    isTooMany(
      t,
      await app.inject({ url: '/openapi.json', headers: { 'x-forwarded-for': '198.51.100.1' } }),
      'a forwarded address that nobody vouches for'
    )
    t.equal((await get(app, '/openapi.json', {}, '192.0.2.9')).statusCode, 200, 'another address')
    t.equal((await get(app, '/openapi.json', signedIn)).statusCode, 200, 'a user at that address')
    for (let i = 0; i < 10; i++) for (const url of ['/health', '/ready']) t.equal((await get(app, url)).statusCode, 200, url)
  })

  t.test('/health and /ready use nothing up', async t => {
    const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '2' } })
    for (let i = 0; i < 5; i++) for (const url of ['/health', '/ready']) await get(app, url)
    t.strictSame(
      [(await get(app, '/nothing')).statusCode, (await get(app, '/nothing')).statusCode, (await get(app, '/nothing')).statusCode],
      [404, 404, 429]
    )
  })

  t.test('count forwarded addresses behind a trusted proxy', async t => {
    for (const TRUST_PROXY of ['1', '127.0.0.0/8', '10.0.0.0/8, 127.0.0.1']) {
      const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1', TRUST_PROXY } })
      const from = async (forwarded: string, address?: string) =>
        (await get(app, '/nothing', { 'x-forwarded-for': forwarded }, address)).statusCode
      t.equal(await from('198.51.100.1'), 404)
      t.equal(await from('198.51.100.1'), 429)
      t.equal(await from('198.51.100.2'), 404)
      t.equal(await from('203.0.113.5, 198.51.100.1'), 429, 'what the caller wrote in front counts for nothing')
      if (TRUST_PROXY === '1') continue
      t.equal(await from('198.51.100.3', '203.0.113.9'), 404)
      t.equal(await from('198.51.100.4', '203.0.113.9'), 429, 'an address outside of the networks is no proxy')
    }
  })

  t.test('count the hop that TRUST_PROXY says', async t => {
    const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1', TRUST_PROXY: '2' } })
    const from = async (forwarded: string) => (await get(app, '/nothing', { 'x-forwarded-for': forwarded })).statusCode
    t.equal(await from('203.0.113.1, 198.51.100.1, 10.0.0.1'), 404)
    t.equal(await from('203.0.113.2, 198.51.100.1, 10.0.0.2'), 429)
    t.equal(await from('203.0.113.2, 198.51.100.2, 10.0.0.2'), 404)
  })

  t.test('0 turns them off', async t => {
    const app = await build(t, { settings: { RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0' } })
    const answers = await Promise.all(Array.from({ length: 700 }, () => get(app, '/nothing')))
    t.ok(answers.every(({ statusCode }) => statusCode === 404))
    t.notOk(Object.keys(answers[0]?.headers ?? {}).some(name => name.startsWith('x-ratelimit')))
  })
})

test('a forwarded address without TRUST_PROXY makes one warning', async t => {
  for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']) {
    const log: string[] = []
    const app = await build(t, { log })
    await app.inject('/health')
    const before = log.length
    t.strictSame(
      log.filter(line => JSON.parse(line).level >= 40),
      []
    )
    for (let i = 0; i < 3; i++) await app.inject({ url: '/nothing', headers: { [name]: '198.51.100.1' } })
    const warnings = log.slice(before).filter(line => JSON.parse(line).level >= 40)
    t.equal(warnings.length, 1, name)
    t.match(warnings[0], /TRUST_PROXY/, name)
  }
  const log: string[] = []
  const app = await build(t, { log, settings: { TRUST_PROXY: '1' } })
  await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': '198.51.100.1' } })
  t.strictSame(
    log.filter(line => JSON.parse(line).level >= 40),
    []
  )
})

test('BASE_PATH stands before every path', async t => {
  for (const base of ['/viewer', '/api/v1.0']) {
    const app = await build(t, { settings: { BASE_PATH: base } })
    const { email } = await addUser(app)
    for (const path of ['/health', '/ready', '/openapi.json']) {
      t.equal((await app.inject(base + path)).statusCode, 200, base + path)
      isFailure(t, await app.inject(path), 404, path, 'Resource not found')
    }
    t.ok((await app.inject(`${base}/docs`)).statusCode < 400)
    isFailure(t, await app.inject('/docs'), 404, '/docs', 'Resource not found')
    const credentials = JSON.stringify({ email, password })
    t.equal((await post(app, `${base}/login`, credentials)).statusCode, 200)
    isFailure(t, await post(app, '/login', credentials), 404, '/login', 'Resource not found')
    isFailure(t, await app.inject(base), 404, base, 'Resource not found')
    isFailure(t, await app.inject(`${base}${base}/health`), 404, 'twice', 'Resource not found')
    const wrong = await app.inject(`${base}/login`)
    isFailure(t, wrong, 405, 'a wrong method')
    t.equal(wrong.headers.allow, 'POST')
  }
})

test('CORS', async t => {
  const preflight = (app: App, url: string, origin: string, method = 'POST') =>
    app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,format,if-none-match'
      }
    })
  const words = (value: unknown) =>
    String(value ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
  const isAllowed = (t: Test, response: Answer, origin: string) => {
    t.ok([200, 204].includes(response.statusCode), String(response.statusCode))
    t.equal(response.headers['access-control-allow-origin'], origin)
    const allowed = new Set(words(response.headers['access-control-allow-headers']))
    t.strictSame(
      ['authorization', 'content-type', 'format', 'if-none-match'].filter(name => !allowed.has(name)),
      []
    )
  }
  const corsHeaders = ({ headers }: Answer) => Object.keys(headers).filter(name => name.startsWith('access-control-'))

  t.test('is off without CORS_ORIGIN', async t => {
    const app = await build(t)
    t.strictSame(corsHeaders(await app.inject({ url: '/health', headers: { origin: 'https://a.example' } })), [])
    const response = await preflight(app, '/login', 'https://a.example')
    t.equal(response.statusCode, 405)
    t.strictSame(corsHeaders(response), [])
  })

  t.test('allows the origins of the list', async t => {
    const app = await build(t, { settings: { CORS_ORIGIN: 'https://a.example, http://localhost:8080' } })
    for (const origin of ['https://a.example', 'http://localhost:8080']) {
      for (const [path, methods] of Object.entries(paths)) {
        for (const method of methods) {
          const response = await preflight(app, path, origin, method)
          isAllowed(t, response, origin)
          t.ok(words(response.headers['access-control-allow-methods']).includes(method.toLowerCase()), `${method} ${path}`)
          t.ok(words(response.headers.vary).includes('origin'))
        }
      }
      const headers = { origin }
      const answers = [
        await app.inject({ url: '/health', headers }),
        await app.inject({ url: '/nothing', headers }),
        await app.inject({ url: '/login', headers }),
        await app.inject({ url: '/%', headers }),
        await app.inject({ method: 'POST', url: '/logout', headers }),
        await app.inject({ method: 'POST', url: '/login', headers, payload: {} })
      ]
      t.strictSame(
        answers.map(({ statusCode }) => statusCode),
        [200, 404, 405, 400, 401, 400]
      )
      for (const answer of answers) {
        t.equal(answer.headers['access-control-allow-origin'], origin, String(answer.statusCode))
        t.ok(words(answer.headers.vary).includes('origin'), String(answer.statusCode))
        const exposed = words(answer.headers['access-control-expose-headers'])
        for (const name of ['date', 'etag', 'location', 'retry-after', 'x-request-id'])
          t.ok(exposed.includes(name), `${answer.statusCode} exposes ${name}`)
      }
    }
  })

  t.test('allows no other origin', async t => {
    const app = await build(t, { settings: { CORS_ORIGIN: 'https://a.example' } })
    for (const origin of [
      'https://b.example',
      'https://a.example.evil.com',
      'http://a.example',
      'https://a.example:8443',
      'null',
      'https://xa.example'
    ]) {
      for (const response of [await preflight(app, '/login', origin), await app.inject({ url: '/health', headers: { origin } })]) {
        t.not(response.headers['access-control-allow-origin'], origin)
        t.not(response.headers['access-control-allow-origin'], '*')
      }
    }
    t.ok(words((await app.inject('/health')).headers.vary).includes('origin'), 'the answer without an origin is not that of another')
  })

  t.test('allows any origin with *', async t => {
    const app = await build(t, { settings: { CORS_ORIGIN: '*' } })
    isAllowed(t, await preflight(app, '/login', 'https://any.example'), '*')
    t.equal((await app.inject({ url: '/health', headers: { origin: 'https://any.example' } })).headers['access-control-allow-origin'], '*')
  })

  t.test('answers an OPTIONS that is no preflight as without it', async t => {
    const origin = 'https://a.example'
    const method = { 'access-control-request-method': 'POST' }
    for (const CORS_ORIGIN of [origin, '*']) {
      const app = await build(t, { settings: { CORS_ORIGIN } })
      for (const headers of [{}, { origin }, method, { origin, 'access-control-request-headers': 'authorization' }]) {
        const ask = (url: string) => app.inject({ method: 'OPTIONS', url, headers: headers as Record<string, string> })
        for (const [url, allowed] of Object.entries(paths)) {
          const response = await ask(url)
          isFailure(t, response, 405, url)
          t.strictSame(words(response.headers.allow).sort(), allowed.map(name => name.toLowerCase()).sort(), url)
          t.notOk(response.headers['access-control-allow-methods'] ?? response.headers['access-control-max-age'], url)
          t.equal(
            response.headers['access-control-allow-origin'],
            CORS_ORIGIN === '*' || 'origin' in headers ? CORS_ORIGIN : undefined,
            url
          )
        }
        for (const url of ['/nothing', '/', '*']) isFailure(t, await ask(url), 404, url, 'Resource not found')
        isFailure(t, await ask('/%'), 400, 'malformed percent-encoding')
      }
      t.equal((await preflight(app, '/nothing', origin)).statusCode, 204)
    }
  })

  t.test('shows a 429 to web apps', async t => {
    const app = await build(t, { settings: { CORS_ORIGIN: '*', RATE_LIMIT_ADDRESS: '1' } })
    const headers = { origin: 'https://any.example' }
    await app.inject({ url: '/nothing', headers })
    const response = await app.inject({ url: '/nothing', headers })
    t.equal(response.statusCode, 429)
    t.equal(response.headers['access-control-allow-origin'], '*')
    t.match(response.headers['access-control-expose-headers'], /retry-after/i)
  })
})

test('headers count however many came before them', async t => {
  const app = await listening(t)
  const { authorization } = await signIn(app)
  const head = `GET /history HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:\r\n'.repeat(3000)}Authorization: ${authorization}\r\n\r\n`
  t.equal(parsed(await talk(app, head)).statusCode, 200)
})

test('bodies of nothing but brackets hold up nobody', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  const brackets = '['.repeat(32_000) + ']'.repeat(32_000)
  const crowd = () => Promise.all(Array.from({ length: 40 }, () => post(app, '/login', brackets)))
  const { turns, result: answers } = await turnsDuring(crowd)
  for (const answer of answers) isFailure(t, answer, 400, 'brackets')
  t.ok(turns > 40, `${turns} turns`)
})

test('over a socket', async t => {
  const app = await listening(t, { LOGIN_LIMIT: '0' })
  const { email } = await addUser(app)
  const credentials = JSON.stringify({ email, password })
  const { port } = app.server.address() as AddressInfo
  const close = 'Host: x\r\nConnection: close\r\n'

  const answers: [string, number, string | Buffer][] = [
    ['garbage', 400, 'nonsense\r\n\r\n'],
    ['bytes', 400, Buffer.from([0, 1, 2, 255, 13, 10, 13, 10])],
    ['the greeting of TLS', 400, Buffer.from('1603010200010001fc0303', 'hex')],
    ['an unknown method', 400, 'NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a wrong version', 400, 'GET /health HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['the greeting of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header without a colon', 400, 'GET /health HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a space in a header name', 400, 'GET /health HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n'],
    ['a length that is no number', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n'],
    ['a length below 0', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['two lengths', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length and chunks', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk without a size', 400, `POST /login HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['no Host', 400, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', 400, `GET /health HTTP/1.1\r\nhost: y\r\n${close}\r\n`],
    ['two Hosts in HTTP/1.0', 400, 'GET /health HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['huge headers', 431, `GET /health HTTP/1.1\r\nHost: x\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['a huge address', 431, `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a huge token', 431, `POST /logout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'x'.repeat(40_000)}\r\n\r\n`],
    ['a body that is too large', 413, `POST /login HTTP/1.1\r\n${close}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`],
    [
      'chunks that are too large',
      413,
      `POST /login HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(5)}0\r\n\r\n`
    ],
    ['an unknown path with a large body', 404, `POST /nothing HTTP/1.1\r\n${close}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`],
    ['an address that is a star', 404, `OPTIONS * HTTP/1.1\r\n${close}\r\n`],
    ['an expectation that nobody meets', 417, `POST /login HTTP/1.1\r\n${close}Expect: the-moon\r\nContent-Length: 2\r\n\r\n{}`]
  ]
  for (const [what, status, bytes] of answers) {
    t.test(what, async t => {
      const answer = await talk(app, bytes)
      t.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, 'is answered once')
      const response = parsed(answer)
      isFailure(t, response, status, what)
      t.notMatch(response.body, /HPE_|ERR_|Error/, 'and nothing of the parser')
      t.equal(Number(response.headers['content-length']), Buffer.byteLength(response.body))
    })
  }

  t.test('a fault after a good request', async t => {
    const answer = await talk(app, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', 50, 'nonsense\r\n\r\n')
    const [good, bad] = answer.split(/(?=HTTP\/1\.1 )/)
    t.match(good, /^HTTP\/1\.1 200 /)
    isFailure(t, parsed(bad ?? ''), 400, 'the second')
  })

  t.test('serves addresses with a host, and requests that wait to be continued', async t => {
    t.equal(parsed(await talk(app, `GET http://x/health HTTP/1.1\r\n${close}\r\n`)).statusCode, 200)
    const head = `POST /login HTTP/1.1\r\n${close}Expect: 100-continue\r\nContent-Length: ${credentials.length}\r\n\r\n`
    const answer = await talk(app, head, 20, credentials)
    t.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  t.test('a body that comes in pieces, and in chunks', async t => {
    const headers = { 'content-type': 'application/json' }
    const send = async (body: string[]) => {
      const sent = request({ port, path: '/login', method: 'POST', headers, agent: false })
      for (const piece of body) {
        sent.write(piece)
        await sleep(2)
      }
      sent.end()
      const [response] = await once(sent, 'response')
      return { statusCode: response.statusCode, body: await text(response) }
    }
    const signedIn = await send([...(credentials.match(/.{1,10}/g) ?? [])])
    t.equal(signedIn.statusCode, 200)
    t.match(JSON.parse(signedIn.body), { success: true })
  })

  t.test('a caller who leaves in the middle of a head or a body harms nobody', async t => {
    const begun = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email"'
    for (const bytes of Array.from({ length: 10 }, () => [begun, begun.slice(0, 30)]).flat()) {
      const socket = connect(port, '127.0.0.1')
      const left = once(app.server, 'clientError')
      await once(socket, 'connect')
      socket.write(bytes)
      await sleep(5)
      socket.resetAndDestroy()
      // What Node was doing just then decides which of the two it says.
      const [{ code }, connection] = (await left) as [NodeJS.ErrnoException, Socket]
      t.match(code, /^(ECONNRESET|HPE_INVALID_EOF_STATE)$/)
      if (!connection.destroyed) await once(connection, 'close')
    }
    t.equal((await app.inject('/health')).statusCode, 200)
  })
})

t.test('errors', { jobs: 3 }, async t => {
  await Promise.all(tests.map(([name, body]) => t.test(name, { buffered: true }, body)))
})
