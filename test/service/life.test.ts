import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Mongod, startMongod } from '../../scripts/mongod/start.js'
import { freePort } from '../../scripts/processes.js'
import { buildApp } from '../../src/app.js'
import { apart } from '../helpers/apart.js'
import { addUser, build, password, secret, settingsFor, signIn } from '../helpers/app.js'
import { databaseUrl } from '../helpers/database.js'
import { freeze } from '../helpers/freeze.js'
import { proxyTo } from '../helpers/proxy.js'
import { built } from '../helpers/run.js'
import { until } from '../helpers/until.js'

const folder = async (t: Test) => {
  const path = await mkdtemp(join(tmpdir(), 'viewer-life-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}

const timed = async <T>(answer: PromiseLike<T>): Promise<[T, number]> => {
  const start = performance.now()
  return [await answer, performance.now() - start]
}

interface Refusal {
  statusCode: number
  headers: Record<string, unknown>
  json: () => unknown
}

const assertUnavailable = (t: Test, response: Refusal, what: string) => {
  t.equal(response.statusCode, 503, what)
  t.match(response.headers['retry-after'], /^[1-9]\d*$/, what)
  const body = response.json() as { message: string }
  t.strictSame({ ...body, message: typeof body.message }, { success: false, code: 503, message: 'string' }, what)
  t.notMatch(body.message, /mongo|ECONN|27017|127\.0\.0\.1|timed? ?out/i, 'the message reveals nothing internal')
}

/** The real process, in a folder without files of its own. */
const startProcess = async (t: Test, settings: Record<string, string>, before: string[] = []) => {
  const args = [...before, built('src/server.js')]
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(...apart(...args), {
    cwd: await folder(t),
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exit
  })
  let out = ''
  let err = ''
  child.stdout.on('data', data => {
    out += data
  })
  child.stderr.on('data', data => {
    err += data
  })
  return { child, exit, out: () => out, err: () => err }
}

const serving = async (t: Test, settings: Record<string, string> = {}) => {
  const MONGO_URL = settings.MONGO_URL ?? (await databaseUrl(t))
  const port = await freePort()
  const common = { MONGO_URL, JWT_SECRET: secret, PORT: String(port), HOST: '127.0.0.1' }
  const limits = { RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0', MAX_EVENT_LOOP_DELAY: '0' }
  const running = await startProcess(t, { ...common, ...limits, ...settings })
  return { ...running, port, MONGO_URL }
}

interface Asked {
  method?: string
  path: string
  headers?: Record<string, string>
  agent?: Agent | false
}

const ask = async (port: number, { method = 'GET', path, headers = {}, agent = false }: Asked) => {
  const sent = request({ port, host: '127.0.0.1', method, path, headers, agent })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { statusCode: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

const statusOf = (port: number, path: string) =>
  ask(port, { path }).then(
    ({ statusCode }) => statusCode,
    () => 0
  )

// Most of these wait; three at once keep two cores busy.
t.jobs = 3
const test = (name: string, body: (t: Test) => Promise<void>) => t.test(name, { buffered: true }, body)

test('a database that is not there', async t => {
  const port = await freePort()
  const log: string[] = []
  const settings = settingsFor(`mongodb://viewer:hunter2@127.0.0.1:${port}/life`)
  const secretive = await buildApp(settings, { logger: { level: 'trace', stream: { write: (line: string) => log.push(line) } } })
  t.teardown(() => secretive.close())
  await secretive.ready()
  await until(() => log.some(line => JSON.parse(line).level >= 40))
  const complaints = log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)
  t.match(
    complaints,
    [{ msg: /^MongoDB at 127\.0\.0\.1:\d+ does not respond/, err: { type: /^Mongo/, message: /ECONNREFUSED/ } }],
    'the log says why'
  )
  t.notMatch(log.join(''), 'hunter2', 'without the password of the database')

  const app = await buildApp(settingsFor(`mongodb://127.0.0.1:${port}/life`), { logger: false })
  t.teardown(() => app.close())
  await app.ready()
  t.equal((await app.inject('/health')).statusCode, 200)
  const logIn = (email = 'ada@example.com') => app.inject({ method: 'POST', url: '/login', payload: { email, password } })
  for (const [what, answer] of Object.entries({
    '/ready': app.inject('/ready'),
    '/login': logIn(),
    '/login/refresh': app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token: 'x' } })
  })) {
    const [response, ms] = await timed(answer)
    assertUnavailable(t, response, what)
    t.ok(ms < 3000, `${what} after ${ms} ms`)
  }
  t.equal((await app.inject('/nothing')).statusCode, 404, 'requests that need no database are answered')
  t.equal((await app.inject('/openapi.json')).statusCode, 200, 'the OpenAPI document needs no database')
  t.equal((await app.inject('/login')).statusCode, 405)

  const mongod = await startMongod({ say: () => undefined, port })
  t.teardown(mongod.stop)
  const ms = await until(async () => (await app.inject('/ready')).statusCode === 200)
  t.ok(ms < 5000, `is ready ${ms} ms after mongod`)
  const { email } = await addUser(app)
  t.equal((await logIn(email)).statusCode, 200)
})

test('a database that freezes', async t => {
  const mongod = await startMongod({ say: () => undefined })
  const { pid } = mongod
  t.teardown(async () => {
    process.kill(pid, 'SIGCONT')
    await mongod.stop()
  })
  const app = await build(t, { url: `${mongod.url}/life`, settings: { DATABASE_TIMEOUT: '2000', LOGIN_LIMIT: '2' } })
  const { email } = await addUser(app)
  const other = await addUser(app)
  const logIn = (who: string, secret = password) =>
    app.inject({ method: 'POST', url: '/login', payload: { email: who, password: secret }, remoteAddress: '192.0.2.1' })
  const signedIn = await logIn(email)
  t.equal(signedIn.statusCode, 200)
  const { access_token, refresh_token } = signedIn.json().data
  const refresh = () => app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })
  const logOut = () => app.inject({ method: 'POST', url: '/logout', headers: { authorization: `Bearer ${access_token}` } })

  await freeze(pid)
  // Before anything could wait for a second time. On a machine with too much to do, timers are late too.
  const bound = timed(sleep(2500)).then(([, ms]) => 1500 + ms)
  const asked = {
    '/ready': () => app.inject('/ready'),
    '/login/refresh': refresh,
    '/logout': logOut,
    // More logins than may fail.
    ...Object.fromEntries([1, 2, 3, 4, 5].map(i => [`/login ${i}`, () => logIn(email)]))
  }
  const answers = Object.entries(asked).map(async ([what, send]) => {
    const [response, ms] = await timed(send())
    assertUnavailable(t, response, what)
    t.ok(ms < (await bound), `${what} after ${ms} ms`)
  })
  const crowd = Array.from({ length: 150 }, () => timed(refresh()))
  // How long a crowd that needs no database takes beside it.
  const usual = Array.from({ length: 150 }, () => timed(app.inject('/health')))
  t.equal((await app.inject('/health')).statusCode, 200)
  await Promise.all(answers)
  const refused = await Promise.all(crowd)
  t.ok(
    refused.every(([{ statusCode }]) => statusCode === 503),
    'also with a crowd of requests'
  )
  const slowestOf = (answers: [unknown, number][]) => Math.max(...answers.map(([, ms]) => ms))
  const slowest = slowestOf(refused)
  t.ok(slowest < (await bound) + slowestOf(await Promise.all(usual)), `the slowest of them after ${slowest} ms`)

  // A login that comes when the outage is known.
  const [late, ms] = await timed(logIn(email))
  assertUnavailable(t, late, 'a later login')
  t.ok(ms < 3000, `a later login after ${ms} ms`)

  process.kill(pid, 'SIGCONT')
  const back = await until(async () => {
    const [ready, login] = [await app.inject('/ready'), await logIn(other.email)]
    return ready.statusCode === 200 && login.statusCode === 200
  })
  t.ok(back < 5000, `serves ${back} ms after it is back`)
  t.equal((await logIn(email)).statusCode, 200, 'logins that the database did not answer do not count as failed')
  const steady = await Promise.all(Array.from({ length: 100 }, () => app.inject('/ready')))
  t.ok(
    steady.every(({ statusCode }) => statusCode === 200),
    'and it stays ready'
  )
})

test('a database that stops and starts again', async t => {
  const dataDir = await folder(t)
  const port = await freePort()
  const say = () => undefined
  let mongod: Mongod = await startMongod({ say, dataDir, port })
  t.teardown(() => mongod.stop())
  const app = await build(t, { url: `${mongod.url}/life`, settings: { DATABASE_TIMEOUT: '2000' } })
  const { email } = await addUser(app)
  const logIn = () => app.inject({ method: 'POST', url: '/login', payload: { email, password } })
  t.equal((await logIn()).statusCode, 200)

  await mongod.stop()
  for (const send of [logIn, () => app.inject('/ready'), logIn]) {
    const [response, ms] = await timed(send())
    assertUnavailable(t, response, 'while the database is away')
    t.ok(ms < 3000, `after ${ms} ms`)
  }
  t.equal((await app.inject('/health')).statusCode, 200)

  mongod = await startMongod({ say, dataDir, port })
  const ms = await until(async () => (await logIn()).statusCode === 200)
  t.ok(ms < 5000, `serves ${ms} ms after it is back`)
  t.equal((await app.inject('/ready')).statusCode, 200)
})

test('SIGTERM under load', async t => {
  const { child, exit, port, MONGO_URL, out, err } = await serving(t, { DRAIN_DELAY: '3000' })
  const helper = await build(t, { url: MONGO_URL })
  const user = await addUser(helper)
  const authorized = await signIn(helper, user)
  await until(async () => (await statusOf(port, '/ready')) === 200)

  const agent = new Agent({ keepAlive: true, maxSockets: 24 })
  t.teardown(() => agent.destroy())
  const requests = [{ path: '/health' }, { path: '/openapi.json' }, { path: '/watchlist', headers: authorized }, { path: '/nothing' }]
  const counts: Record<string, number> = {}
  let [stopped, closing] = [false, 0]
  t.teardown(() => {
    stopped = true
  })
  const worker = async (which: Asked) => {
    while (!stopped) {
      const outcome = await ask(port, { ...which, agent }).then(
        ({ statusCode, headers }) => {
          if (headers.connection === 'close') closing++
          return `${which.path} ${statusCode}`
        },
        (error: NodeJS.ErrnoException) => `${which.path} ${error.code}`
      )
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
  }
  const workers = Array.from({ length: 24 }, (_, i) => worker(requests[i % requests.length] as Asked))
  // One that is idle, and must hold nothing up.
  const idle = connect(port, '127.0.0.1')
  const idled = text(idle).catch(() => '')
  await until(() => Object.values(counts).reduce((a, b) => a + b, 0) > 300)
  // One that is still sending its body when listening ends.
  const body = JSON.stringify({ email: user.email, password })
  const upload = connect(port, '127.0.0.1')
  const uploaded = text(upload)
  upload.write(`POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`)

  child.kill('SIGTERM')
  const start = performance.now()
  const unready = await until(async () => (await statusOf(port, '/ready')) === 503)
  t.ok(unready < 1500, `/ready fails ${unready} ms after the signal`)
  t.equal(await statusOf(port, '/health'), 200, '/health still works')
  child.kill('SIGTERM')
  child.kill('SIGINT')
  // Requests are served until the balancer has noticed.
  await until(() => closing > workers.length)
  stopped = true
  await Promise.all(workers)
  await until(async () => (await statusOf(port, '/health')) === 0)
  const listened = performance.now() - start
  t.ok(listened >= 2950, `it listens during DRAIN_DELAY (${listened} ms)`)
  upload.write(body.slice(5))
  t.match(await uploaded, /^HTTP\/1\.1 200 /, 'a request in progress is completed')
  t.strictSame(await exit, [0, null])
  t.ok(performance.now() - start < 13_500)
  await idled
  t.strictSame(Object.keys(counts).sort(), ['/health 200', '/nothing 404', '/openapi.json 200', '/watchlist 200'], JSON.stringify(counts))

  t.doesNotThrow(
    () =>
      out()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    'every line of the log is JSON'
  )
  t.equal(err(), '')
})

test('SIGINT with callers who never end', async t => {
  const { child, exit, port } = await serving(t, { DRAIN_DELAY: '200' })
  await until(async () => (await statusOf(port, '/ready')) === 200)
  const sockets = ['', 'GET /health HTTP/1.1\r\nHo', 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'].map(bytes => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(bytes)
    return socket
  })
  await Promise.all(sockets.map(socket => once(socket, 'ready')))
  t.teardown(() => sockets.map(socket => socket.destroy()))
  await statusOf(port, '/health')
  child.kill('SIGINT')
  const [[status, signal], ms] = await timed(exit)
  t.strictSame([status, signal], [0, null])
  // 10.2 s, and some more for a busy machine.
  t.ok(ms < 14_000, `it exits after ${ms} ms`)
})

test('SIGTERM while a caller stalls and the database does not respond', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const { child, exit, port, out, err } = await serving(t, { MONGO_URL: proxy.url, DRAIN_DELAY: '0', IMPORT_KEY: secret })
  await until(async () => (await statusOf(port, '/ready')) === 200)
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  t.teardown(() => socket.destroy())
  socket.write('POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
  await statusOf(port, '/health')
  proxy.freeze()
  // Wrong keys are recorded when the app closes.
  t.equal((await ask(port, { method: 'POST', path: '/import/terms' })).statusCode, 401)
  child.kill('SIGTERM')
  const [[status, signal], ms] = await timed(exit)
  t.strictSame([status, signal], [0, null])
  t.match(out(), /closing took longer than 10 s/)
  t.ok(ms < 11_000, `it exits after ${ms} ms`)
  t.equal(err(), '')
})

test('a process without its database', async t => {
  const { child, exit, port, out, err } = await serving(t, { MONGO_URL: `mongodb://127.0.0.1:${await freePort()}`, DRAIN_DELAY: '0' })
  await until(async () => (await statusOf(port, '/health')) === 200)
  t.equal(await statusOf(port, '/ready'), 503)
  await until(() => /mongo|database/i.test(out()))
  child.kill('SIGTERM')
  const [[status, signal], ms] = await timed(exit)
  t.strictSame([status, signal], [0, null])
  t.ok(ms < 5000, `it exits after ${ms} ms`)
  t.equal(err(), '')
})

test('SIGTERM during the start', async t => {
  const settings = { MONGO_URL: await databaseUrl(t), JWT_SECRET: secret, PORT: '0', HOST: '127.0.0.1', DRAIN_DELAY: '0' }
  /** A module that sends SIGTERM as soon as the process listens for it the n-th time: first early in its start, then at the end of it. */
  const signalAt = (n: number) => {
    const signal = `setImmediate(() => process.kill(process.pid, 'SIGTERM'))`
    return `data:text/javascript,let n = 0; process.on('newListener', name => { if (name === 'SIGTERM' && ++n === ${n}) ${signal} })`
  }
  for (const [n, log] of [
    [1, /^$/],
    [2, /stopping after SIGTERM/]
  ] as const) {
    const { exit, out, err } = await startProcess(t, settings, ['--import', signalAt(n)])
    t.strictSame(await exit, [0, null])
    t.match(out(), log)
    t.notMatch(out(), /"level":[456]0/)
    t.equal(err(), '')
  }
})

test('a start that must fail', async t => {
  const good = { MONGO_URL: 'mongodb://127.0.0.1:1/life', JWT_SECRET: secret, PORT: '0', HOST: '127.0.0.1' }
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as AddressInfo

  const starts: [string, Record<string, string>, RegExp[]][] = [
    ['without settings', {}, [/MONGO_URL/, /JWT_SECRET/]],
    ['with a weak secret', { ...good, JWT_SECRET: 'hunter2hunter2hunter2hunter2hun' }, [/JWT_SECRET.*32/]],
    ['at a port that is taken', { ...good, PORT: String(port) }, [new RegExp(`${port}|PORT`)]],
    ['at a host that is none', { ...good, HOST: '192.0.2.1' }, [/HOST|192\.0\.2\.1/]]
  ]
  t.jobs = 2
  for (const [what, settings, sentences] of starts) {
    t.test(what, { buffered: true }, async t => {
      const { exit, out, err } = await startProcess(t, settings)
      const [status] = await exit
      t.ok(status, `it exits with status ${status}`)
      const said = out() + err()
      for (const sentence of sentences) t.match(said, sentence)
      t.notMatch(said, /^ +at /m, 'a sentence without a stack trace')
      t.notMatch(said, /hunter2|a secret of the tests/, 'and without a secret')
    })
  }
})
