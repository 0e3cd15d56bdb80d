import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { importRecords } from '../../schemas/import.js'
import { buildApp } from '../../src/app.js'
import { linesOut, loggerOptions } from '../../src/http/logging.js'
import { hashPassword } from '../../src/identity/passwords.js'
import { usersOf } from '../../src/identity/users.js'
import { addUser, build, password, secret, settingsFor } from '../helpers/app.js'
import { databaseUrl } from '../helpers/database.js'
import { committedText } from '../helpers/openapi.js'
import { proxyTo } from '../helpers/proxy.js'
import { serving } from '../helpers/serving.js'
import { connected, talk } from '../helpers/sockets.js'
import { closedGate, until } from '../helpers/until.js'

/** What must not be in a log: a token, and each of its longer parts. */
const pieces = (token: string) => [token, ...token.split('.').filter(part => part.length > 20)]

const drive = async (t: Test, app: Awaited<ReturnType<typeof build>>) => {
  const { email } = await addUser(app)
  const secrets = new Set<string>()
  const hide = (...values: string[]) => {
    for (const value of values) secrets.add(value)
  }
  const post = (url: string, payload: string, headers: Record<string, string> = {}) => app.inject({ method: 'POST', url, headers, payload })
  const logIn = async (secret: string) => {
    hide(secret)
    return post('/login?password=in-the-query-1', JSON.stringify({ email, password: secret }))
  }
  hide('in-the-query', 'query-of-the-path')

  const { data } = (await logIn(password)).json()
  // Of a refresh token, only the last part is secret. The rest names the session.
  hide(...pieces(data.access_token), data.refresh_token, data.refresh_token.split('.').at(-1))
  const next = (await post('/login/refresh?x=in-the-query-2', JSON.stringify({ refresh_token: data.refresh_token }))).json().data
  hide(...pieces(next.access_token), next.refresh_token, next.refresh_token.split('.').at(-1))
  await post('/login/refresh', JSON.stringify({ refresh_token: data.refresh_token }))
  await post('/login/refresh', JSON.stringify({ refresh_token: `${next.refresh_token}x` }))
  await post('/logout?token=in-the-query-3', '', { authorization: `Bearer ${next.access_token}` })

  const refused = []
  for (let i = 0; i < 3; i++) refused.push((await logIn(`wrong-password-${i}`)).statusCode)
  t.strictSame(refused, [401, 401, 429])

  hide('password-in-a-list', 'password-in-garbage', 'password-in-a-large-body', 'password-of-a-field', 'user:basic-password')
  await post('/login', JSON.stringify({ email, password: ['password-in-a-list'] }))
  await post('/login', JSON.stringify({ email: 5, password: 'password-in-a-list' }))
  await post('/login', '{"password":"password-in-garbage"')
  await post('/login', JSON.stringify({ email, password: 'password-in-a-large-body'.repeat(4000) }))
  await post('/login', JSON.stringify({ email, password: { password: 'password-of-a-field' } }))
  await post('/login/refresh', JSON.stringify({ refresh_token: { token: 'password-of-a-field' } }))
  await post('/nothing?x=in-the-query-4', JSON.stringify({ password: 'password-of-a-field' }))
  await app.inject('/login?x=in-the-query-5')
  await app.inject('/%?x=in-the-query-6')
  await app.inject('/login%zz?x=in-the-query-7')

  const forged = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from('{"sub":"1234567890"}').toString('base64url')}`
  const signature = createHmac('sha256', 'another secret').update(forged).digest('base64url')
  const basic = Buffer.from('user:basic-password').toString('base64')
  hide(signature, basic, 'nonsense-token')
  for (const authorization of [`Bearer ${forged}.${signature}`, `Basic ${basic}`, 'Bearer nonsense-token', 'Bearer  nonsense-token two'])
    await app.inject({ method: 'POST', url: '/logout', headers: { authorization } })

  // An error of the HTTP parser carries the bytes that it has read.
  await app.listen({ port: 0, host: '127.0.0.1' })
  hide('token-in-bytes', 'token-in-huge-headers')
  for (const bytes of [
    'GET /?x=in-the-query-8 HTTP/1.1\r\nAuthorization: Bearer token-in-bytes\r\nnonsense\r\n\r\n',
    'GET /?x=in-the-query-9 HTTP/9.9\r\nAuthorization: Bearer token-in-bytes\r\n\r\n',
    `GET / HTTP/1.1\r\nAuthorization: Bearer ${'token-in-huge-headers'.repeat(2000)}\r\n\r\n`,
    'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz{"password":"token-in-bytes"}\r\n\r\n'
  ]) {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    const answer = text(socket).catch(() => '')
    socket.write(bytes)
    await answer
  }
  return { secrets, email }
}

const assertClean = (t: Test, lines: string[], secrets: Set<string>) => {
  const log = lines.join('')
  t.ok(lines.length > 20, `${lines.length} lines`)
  for (const secret of secrets) {
    t.notOk(log.includes(secret), `no ${secret.slice(0, 30)}`)
    t.notOk(log.includes(encodeURIComponent(secret)), 'nor its encoded form')
    t.notOk(log.includes(Buffer.from(secret).toString('base64')), 'nor its Base64 form')
    // A Buffer in a line of JSON is a list of numbers.
    t.notOk(log.includes([...Buffer.from(secret)].join(',')), 'nor its bytes')
  }
  t.notMatch(log, /\?/, 'no query')
  t.notMatch(log, /bearer [\w-]{3,}|basic [\w-]{6,}/i, 'no Authorization')
  t.notMatch(log, /\$argon2/, 'no hash')
}

t.test('a failure outside of the service is logged with its reason, and without a stack', async t => {
  const provider = createServer((_request, response) => response.destroy()).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  t.teardown(() => provider.close())
  const { port } = provider.address() as AddressInfo
  const lines: string[] = []
  const withProvider = {
    MONGO_URL: 'mongodb://viewer:hunter2@127.0.0.1:1,127.0.0.1:2/x',
    JWT_SECRET: '',
    JWT_ISSUER: 'https://id.example',
    JWT_AUDIENCE: 'viewer'
  }
  const settings = settingsFor(withProvider.MONGO_URL, { ...withProvider, JWT_JWKS_URL: `http://127.0.0.1:${port}/` })
  const app = await buildApp(settings, { logger: { ...loggerOptions('warn'), stream: { write: (line: string) => lines.push(line) } } })
  t.teardown(() => app.close())
  await app.ready()
  const token = ['{"alg":"RS256","kid":"1"}', '{"sub":"1"}', 'x'].map(part => Buffer.from(part).toString('base64url')).join('.')
  await app.inject({ url: '/history', headers: { authorization: `Bearer ${token}` } })
  await until(() => lines.length > 1)
  const logged = lines.map(line => JSON.parse(line)).map(({ msg, err }) => [msg, Object.keys(err).join(), err.message])
  t.match(logged.sort(), [
    ['MongoDB at 127.0.0.1:1, 127.0.0.1:2 does not respond, trying again every second', 'type,message', /ECONNREFUSED/],
    ['the keys of the identity provider could not be read', 'type,message', /fetch failed/]
  ])
  t.notMatch(lines.join(), /hunter2|viewer:/)

  app.log.warn({ err: new Error('a fault of our own') }, 'unexpected')
  t.match(JSON.parse(lines.at(-1) as string).err, { message: 'a fault of our own', stack: /logging\.test/ })
})

t.test('what keeps the service from being prepared is in the message', async t => {
  const said = async (url: string) => {
    const log: string[] = []
    const logger = { ...loggerOptions('warn'), stream: { write: (line: string) => log.push(line) } }
    const app = await buildApp(settingsFor(url), { logger })
    await app.ready()
    await until(() => log.length > 0)
    await app.close()
    t.notMatch(log.join(), /hunter2|nobody/)
    return JSON.parse(log[0] as string).msg
  }
  const url = await databaseUrl(t)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  await client
    .db()
    .collection('users')
    .insertMany([{ email_key: 'ada' }, { email_key: 'ada' }])
  t.match(await said(url), /^the service could not be prepared, trying again every second: .*duplicate key/)
  t.match(
    await said(url.replace('//', '//nobody:hunter2@')),
    'the service could not be prepared, trying again every second: Authentication failed.'
  )
})

/** Fields of requests, answers and import files that hold a secret, going by their names. */
const secretFields = async () => {
  const schemas = (await committedText()) + JSON.stringify(importRecords)
  const names = Array.from(schemas.matchAll(/"(\w+)": ?\{/g), ([, name]) => name as string)
  return new Set(names.filter(name => /password|^pin|_token$|_code$|_complete$/.test(name)))
}

t.test('the log at the level trace', async t => {
  t.test('as production writes it, holds no secret', async t => {
    const lines: string[] = []
    const options = { ...Object(loggerOptions('trace')), stream: { write: (line: string) => lines.push(line) } }
    const url = await databaseUrl(t)
    const app = await buildApp(settingsFor(url, { LOG_LEVEL: 'trace', LOGIN_LIMIT: '2' }), { logger: options })
    t.teardown(() => app.close())
    await app.ready()
    await app.whenReady
    const { secrets } = await drive(t, app)
    assertClean(t, lines, secrets)

    const answered = lines.map(line => JSON.parse(line)).filter(({ status }) => status)
    for (const [method, path, status] of [
      ['POST', '/login', 200],
      ['POST', '/login', 401],
      ['POST', '/login', 429],
      ['POST', '/login', 413],
      ['POST', '/nothing', 404],
      ['GET', '/login', 405]
    ])
      t.ok(
        answered.some(line => line.method === method && line.path === path && line.status === status),
        `${method} ${path} ${status}`
      )
  })

  t.test('with any other logger, too', async t => {
    const log: string[] = []
    const app = await build(t, { log, settings: { LOG_LEVEL: 'trace', LOGIN_LIMIT: '2' } })
    const { secrets } = await drive(t, app)
    assertClean(t, log, secrets)
  })

  t.test('redacts what would be logged by mistake', async t => {
    const lines: string[] = []
    const options = { ...Object(loggerOptions('trace')), stream: { write: (line: string) => lines.push(line) } }
    const app = await buildApp(settingsFor(await databaseUrl(t)), { logger: options })
    t.teardown(() => app.close())
    await app.ready()
    app.log.info({ body: { email: 'a', password: 'leak-1' } }, 'a')
    app.log.info({ headers: { authorization: 'leak-2' } }, 'a')
    app.log.info({ req: { headers: { authorization: 'leak-3' }, url: '/x?y=leak-4', method: 'GET' } }, 'a')
    app.log.info({ password: 'leak-5', refresh_token: 'leak-6', access_token: 'leak-7' }, 'a')
    app.log.info({ data: { refresh_token: 'leak-8', access_token: 'leak-9' } }, 'a')
    const fields = Object.fromEntries(Array.from(await secretFields(), name => [name, `leak-of-${name}`]))
    t.ok(Object.keys(fields).length > 8)
    app.log.info({ ...fields, body: fields, answer: { data: fields } }, 'a')
    t.notMatch(lines.join(''), /leak-/)
  })
})

t.test('a line has the id that the answer names', async t => {
  const log: string[] = []
  const app = await build(t, { log })
  const { headers } = await app.inject('/nothing?x=1')
  const line = log.map(line => JSON.parse(line)).find(({ reqId }) => reqId === headers['x-request-id'])
  t.match(line, { method: 'GET', path: '/nothing', status: 404 })
})

t.test('a request whose caller hangs up has one line, and counts once in the metric', async t => {
  const log: string[] = []
  let gate = closedGate()
  let waiting = 0
  let closed = 0
  const held = async <T>(result: T) => {
    waiting++
    await gate.opened
    return result
  }
  const endless = () => new Readable({ read: () => undefined }).on('close', () => closed++)
  const app = await build(t, {
    log,
    settings: { IMPORT_KEY: secret },
    extend: app => {
      const config = { admission: 'public' } as const
      app.get('/held', { config }, async () => held({ success: true }))
      app.get('/held-stream', { config }, async () => held(endless()))
      app.get('/stream', { config }, async () => {
        waiting++
        return endless()
      })
      app.get('/unsendable', { config }, async (_request, reply) => reply.header('content-language', await held('en\n')).send({}))
      app.get('/begun', { config }, async (_request, reply) => {
        reply.raw.write('some words')
        await held(undefined)
        throw new Error('too late for an error')
      })
      app.get('/large', { config }, () => 'x'.repeat(32 * 1024 * 1024))
      app.get('/late', { config, onSend: async () => held(undefined) }, async () => ({ success: true }))
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const get = (...paths: string[]) => paths.map(path => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')
  const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Length: 9\r\n\r\n{`
  const linesOf = (...lines: [path: string, status?: number][]) => lines.map(([path, status = 200]) => ({ path, status, closed: true }))
  const answered = () => log.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'answered')
  const counted = async () => {
    const counts = (await app.metricsText()).matchAll(/^http_request_duration_seconds_count\{.*\} (\d+)$/gm)
    return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
  }
  const connections = () => new Promise<number>(resolve => app.server.getConnections((_error, count) => resolve(count)))

  const cases: Record<string, { bytes: string; waits: number; lines: object[]; streams?: number }> = {
    'while it is handled': { bytes: get('/held'), waits: 1, lines: linesOf(['/held']) },
    'behind another one': {
      bytes: get('/held', '/nothing', '/held', '/terms/5'),
      waits: 2,
      lines: linesOf(['/held'], ['/held'], ['/nothing', 404], ['/terms/5', 404])
    },
    'while a stream is sent': { bytes: get('/stream'), waits: 1, lines: linesOf(['/stream']), streams: 1 },
    'while streams wait for their turn': {
      bytes: get('/stream', '/stream', '/held', '/stream'),
      waits: 4,
      lines: linesOf(['/held'], ['/stream'], ['/stream'], ['/stream']),
      streams: 3
    },
    'before streams begin': {
      bytes: get('/held-stream', '/held-stream'),
      waits: 2,
      lines: linesOf(['/held-stream'], ['/held-stream']),
      streams: 2
    },
    'before it cannot be sent': { bytes: get('/held', '/unsendable'), waits: 2, lines: linesOf(['/held'], ['/unsendable']) },
    'after its head was sent': { bytes: get('/begun'), waits: 1, lines: linesOf(['/begun']) },
    'while a hook runs': { bytes: get('/late', '/late'), waits: 2, lines: linesOf(['/late'], ['/late']) },
    'in its body': { bytes: post('/login'), waits: 0, lines: linesOf(['/login', 400]) },
    'in its upload': { bytes: post('/import/terms'), waits: 0, lines: linesOf(['/import/terms', 400]) }
  }
  for (const [what, { bytes, waits, lines, streams = 0 }] of Object.entries(cases))
    for (const how of ['destroy', 'resetAndDestroy', 'end'] as const)
      t.test(`${what}, by ${how}`, async t => {
        log.length = 0
        gate = closedGate()
        waiting = 0
        closed = 0
        const before = await counted()
        const socket = await connected(app)
        const requested = new Promise(resolve => app.server.once('request', resolve))
        socket.write(bytes)
        await requested
        await until(() => waiting === waits)
        socket[how]()
        socket.resume()
        await until(async () => (await connections()) === 0)
        gate.open()
        await until(() => answered().length >= lines.length && closed === streams)
        await app.inject('/health')
        t.match(
          answered().sort((a, b) => a.path.localeCompare(b.path)),
          lines
        )
        t.equal((await counted()) - before, lines.length + 1)
      })

  t.test('while it reads the response', async t => {
    log.length = 0
    const socket = await connected(app)
    socket.pause()
    const requested = once(app.server, 'request')
    socket.write(get('/large'))
    const [, response] = (await requested) as [unknown, ServerResponse]
    await until(() => response.writableEnded)
    socket.destroy()
    await until(() => answered().length > 0)
    t.match(answered(), linesOf(['/large']))
  })

  t.test('but a caller who waits for the response has not hung up', async t => {
    log.length = 0
    await talk(app, get('/nothing'), 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await app.inject('/nothing')
    await until(() => answered().length >= 3)
    t.strictSame(
      answered().map(({ closed }) => closed),
      [undefined, undefined, undefined]
    )
  })

  t.test('uploads that broke off are counted as such', async t => {
    t.match(await app.metricsText(), /^imports_total\{file="terms",status="400"\} 3$/m)
  })
})

t.test('checks are logged at debug, unless they fail', async t => {
  for (const [level, wanted] of [
    ['info', ['/nothing', '/ready']],
    ['debug', ['/health', '/ready', '/metrics', '/nothing', '/ready']]
  ] as const) {
    const log: string[] = []
    const app = await build(t, { log, settings: { LOG_LEVEL: level } })
    for (const url of ['/health', '/ready', '/metrics', '/nothing']) await app.inject(url)
    await app.drain()
    t.equal((await app.inject('/ready')).statusCode, 503)
    const paths = log.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'answered')
    t.strictSame(
      paths.map(({ path }) => path),
      wanted,
      level
    )
  }
})

t.test('lines are written a page at a time, after a moment, and before the process exits', async t => {
  const file = join(t.testdir(), 'lines')
  const before = process.listeners('exit')
  const lines = linesOut(file)
  const leave = process.listeners('exit').find(listener => !before.includes(listener)) as () => void
  const written = () => readFile(file, 'utf8')

  lines.write('one\n')
  t.equal(readFileSync(file, 'utf8'), '', 'lines are buffered for a moment')
  const page = `${'x'.repeat(5000)}\n`
  lines.write(page)
  t.equal(await written(), `one\n${page}`, 'a full page is written')
  lines.write('two\n')
  while (!(await written()).endsWith('two\n')) await new Promise(resolve => setTimeout(resolve, 10))
  lines.write('three\n')
  leave()
  t.match(await written(), /two\nthree\n$/)
  lines.destroy()
  process.off('exit', leave)
})

t.test('a log that cannot be written blocks nothing, and is kept up to a bound', { skip: !existsSync('/dev/full') }, async t => {
  const before = process.listeners('exit')
  const lines = linesOut('/dev/full')
  const leave = process.listeners('exit').find(listener => !before.includes(listener)) as () => void
  let dropped = 0
  lines.on('drop', () => dropped++)
  const app = await buildApp(settingsFor(await databaseUrl(t)), { logger: { ...loggerOptions('info'), stream: lines } })
  t.teardown(() => app.close())
  await app.ready()
  const line = 'x'.repeat(10_000)
  const written = 200
  for (let i = 0; i < written; i++) app.log.info(line)
  t.ok(dropped > written / 3 && dropped < written / 2, `${dropped} of ${written} were more than a megabyte`)
  const refused = once(lines, 'error')
  t.match(await refused, [{ code: 'ENOSPC' }], 'the timer tries again')
  t.equal((await app.inject('/health')).statusCode, 200)
  leave()
  process.off('exit', leave)
})

t.test('the log of a process at the level trace, from its start to its end, has no secret', async t => {
  const url = await databaseUrl(t)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const pwd = 'hunter2-of-the-database'
  await client.db().command({ createUser: 'viewer', pwd, roles: ['readWrite'] })
  t.teardown(() => client.db().command({ dropUser: 'viewer' }))
  const email = 'ada@example.com'
  const password_hash = await hashPassword(password)
  await usersOf(client.db()).add({ email, name: 'Ada', password_hash })

  const proxy = await proxyTo(t, url)
  const MONGO_URL = proxy.url.replace('//', `//viewer:${pwd}@`)
  const settings = { MONGO_URL, LOG_LEVEL: 'trace', LOGIN_LIMIT: '2', DRAIN_DELAY: '0', DATABASE_TIMEOUT: '500', CORS_ORIGIN: '*' }
  const { address, said, stop } = await serving(t, { settings })

  const secrets = new Set([pwd, secret, password, password_hash, 'a-wrong-password', 'Basic-of-somebody'])
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${address}${path}?token=in-the-query`, { method: 'POST', body: JSON.stringify(body), headers })
    return { status: response.status, body: (await response.json()) as { data: { access_token: string; refresh_token: string } } }
  }
  secrets.add('in-the-query')
  const signedIn = await post('/login', { email, password })
  const renewed = await post('/login/refresh', signedIn.body.data)
  for (const { body } of [signedIn, renewed])
    for (const token of [body.data.access_token, body.data.refresh_token]) secrets.add(token).add(String(token.split('.').at(-1)))
  const bearer = { authorization: `Bearer ${renewed.body.data.access_token}` }

  const wrong = renewed.body.data.refresh_token.replace(/.$/, last => (last === '_' ? '-' : '_'))
  const drive = async () => [
    (await post('/login/refresh', { refresh_token: wrong })).status,
    (await post('/login', { email, password: 'a-wrong-password' })).status,
    (await post('/login', { email, password: ['a-wrong-password'] })).status,
    (await post('/history', { content_id: 1, time: 'a-wrong-password' }, bearer)).status,
    (await post('/history', { content_id: 1 }, bearer)).status,
    (await post('/history', {}, { authorization: `Bearer ${signedIn.body.data.access_token}x` })).status,
    (await post('/history', {}, { authorization: 'Basic Basic-of-somebody' })).status
  ]
  t.strictSame(await drive(), [401, 401, 400, 400, 400, 401, 401])
  proxy.leave()
  t.strictSame(await drive(), [503, 503, 400, 400, 400, 401, 401], 'while the database is away')
  t.equal((await post('/logout', {}, bearer)).status, 503)
  await stop()

  const text = said()
  t.ok(text.split('\n').length > 20)
  t.match(text, /"status":503/)
  for (const hidden of secrets) {
    for (const form of [hidden, encodeURIComponent(hidden), Buffer.from(hidden).toString('base64')])
      t.notOk(text.includes(form), `${hidden.slice(0, 12)}...`)
  }
})
