import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { connectionTo } from '../../src/database/connection.js'
import { tokenOf } from '../bench/servers/tokens.js'
import { say } from '../command-line.js'
import { startMongod } from '../mongod/start.js'
import { freePort, until } from '../processes.js'
import { restartInTurn, type Server } from '../servers.js'
import { fill } from '../soak/data.js'
import { complainsOfNothing, type Finding, milliseconds, nothingLost, promised } from '../soak/findings.js'
import { isSuccess, Ledger, Outcomes } from '../soak/outcomes.js'
import { startService } from '../soak/stage.js'
import { ask, changesFollowing, startFollowers, startViewers } from '../soak/viewers.js'
import { type Answer, insider, type Program, type RunningProxy, startProxy } from './proxy.js'

/**
 * Runs a real proxy with its configuration from deploy/, first in front of a server that records what it receives, then of the built
 * service.
 */
export const proxyCheck = async (program: Program): Promise<Finding[]> => [
  ...(await beforeRecorder(program)),
  ...(await beforeService(program))
]

interface Received {
  path: string
  headers: Record<string, unknown>
  /** Milliseconds between the head and the end of the body. */
  took: number
  bytes: number
}

/**
 * A server in place of the service, which records what a proxy sends. It responds with what it received, but breaks the connection at
 * /break, and the first time at /stumble.
 */
const startRecorder = async () => {
  const received: Received[] = []
  const seen = { bytes: 0, connections: 0 }
  const server = createServer(async (request, response) => {
    const { url: path = '', headers, socket } = request
    if (path === '/ready') return response.end()
    const [began, before] = [performance.now(), seen.bytes]
    try {
      for await (const chunk of request) seen.bytes += chunk.length
    } catch {
      return
    }
    const isFirst = !received.some(earlier => earlier.path === path)
    received.push({ path, headers, took: performance.now() - began, bytes: seen.bytes - before })
    if (path.startsWith('/break') || (isFirst && path === '/stumble')) return socket.destroy()
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(received.at(-1)))
  })
  server.on('connection', () => seen.connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    seen,
    timesAt: (path: string) => received.filter(one => one.path === path).length,
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
type Recorder = Awaited<ReturnType<typeof startRecorder>>

async function* slowly(pieces: string[], pause: number) {
  for (const piece of pieces) {
    await sleep(pause)
    yield piece
  }
}

/** A body that takes about half a second to arrive. */
const dripping = () => slowly(Array<string>(10).fill('x'.repeat(10)), 50)
const megabyte = Buffer.alloc(1024 * 1024, 'x')

const receivedOf = ({ body }: Answer): Received => JSON.parse(body.toString())

/** Whether a response has the form of the service's errors. */
const isError = ({ status, headers, body }: Answer, expected: number) => {
  if (status !== expected || !/^application\/json/.test(headers['content-type'] ?? '')) return false
  const { success, code, message } = JSON.parse(body.toString())
  return success === false && code === expected && typeof message === 'string'
}

/** Tests what reaches the service, with a recorder in place of two of its processes. The third process is down. */
const beforeRecorder = async (program: Program) => {
  const recorder = await startRecorder()
  const proxy = await startProxy(program, [recorder.port, await freePort(), recorder.port])
  try {
    const findings: Finding[] = []
    for (const check of [findsOthers, headersAreOverwritten, waitsForSlowBodies, importsFromInside, keepsConnections])
      findings.push(await check(proxy, recorder))
    // After each of these, the proxy does not use a server for a while.
    for (const check of [sendsAgain, neverSendsTwice, refusesWithoutAny]) findings.push(await check(proxy, recorder))
    return findings
  } finally {
    await proxy.stop()
    recorder.stop()
  }
}

const findsOthers = async ({ send }: RunningProxy, { received }: Recorder) => {
  const statuses = new Set<number>()
  for (let n = 0; n < 60; n++) statuses.add((await send({ method: 'POST', path: `/history/${n}`, body: ['{}'] })).status)
  const isOnceEach = received.length === 60 && new Set(received.map(({ path }) => path)).size === 60
  return promised(
    'a request to a process that is down goes to another one, once',
    isOnceEach && [...statuses].join() === '200',
    `${received.length} received of 60 sent`
  )
}

const forged = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'evil.example.com',
  forwarded: 'for=203.0.113.9;host=evil.example.com',
  'x-country': 'NL'
}

const headersAreOverwritten = async ({ send }: RunningProxy) => {
  const { headers } = receivedOf(await send({ path: '/terms', headers: forged }))
  const seen = Object.keys(forged).flatMap(name => (name in headers ? [`${name}: ${headers[name]}`] : []))
  const genuine = 'x-forwarded-for: 127.0.0.1, x-forwarded-proto: https, x-forwarded-host: localhost'
  return promised('forwarded headers of callers are overwritten', seen.join(', ') === genuine, seen.join(', '))
}

const waitsForSlowBodies = async ({ send }: RunningProxy, { seen }: Recorder) => {
  const { took } = receivedOf(await send({ method: 'POST', path: '/history', body: dripping() }))
  const slow = send({ method: 'POST', path: '/import/terms', body: dripping(), from: insider })
  const before = seen.bytes
  await sleep(250)
  const early = seen.bytes - before
  await slow
  return promised(
    'a slow body does not keep the service waiting, but an import is passed on as it arrives',
    took < 100 && early > 0 && early < 100,
    `${milliseconds(took)}, ${early} of 100 bytes of an import after half of its time`
  )
}

const importsFromInside = async ({ send }: RunningProxy, { received }: Recorder) => {
  const allowed = await send({ method: 'POST', path: '/import/contents', body: Array<Buffer>(50).fill(megabyte), from: insider })
  const before = received.length
  const refused: Answer[] = []
  for (const path of ['/import/contents', '/%69mport/contents', '/import']) refused.push(await send({ method: 'POST', path, body: ['{}'] }))
  const isClosed = refused.every(answer => isError(answer, 404)) && received.length === before
  return promised(
    'an import may be of any size, but is only accepted from inside',
    allowed.status === 200 && receivedOf(allowed).bytes === 50 * megabyte.length && isClosed,
    `${allowed.status} for 50 MB, ${refused.map(({ status }) => status).join(', ')} for strangers`
  )
}

const keepsConnections = async ({ send }: RunningProxy, { seen }: Recorder) => {
  const before = seen.connections
  for (let n = 0; n < 100; n++) await send({ path: '/terms' })
  const opened = seen.connections - before
  return promised('connections to the service are kept', opened <= 20, `${opened} opened for 100 requests`)
}

/**
 * The proxy may return an error or close the caller's connection. HAProxy does the latter if it had sent the request over a reused
 * connection, because HTTP clients know how to handle that.
 */
const neverSendsTwice = async ({ send }: RunningProxy, { timesAt }: Recorder) => {
  const outcome = await send({ method: 'POST', path: '/break/login', body: ['{}'] }).catch(({ message }: Error) => message)
  const times = timesAt('/break/login')
  const isFailed = typeof outcome === 'string' || (isError(outcome, outcome.status) && outcome.status >= 502)
  const figures = `sent ${times} times, ${typeof outcome === 'string' ? outcome : `answered with ${outcome.status}`}`
  return promised('a POST that was sent is not sent again', times === 1 && isFailed, figures)
}

const sendsAgain = async ({ send }: RunningProxy, { timesAt }: Recorder) => {
  const { status } = await send({ method: 'PUT', path: '/stumble', body: ['{}'] })
  const times = timesAt('/stumble')
  const figures = `sent ${times} times, answered with ${status}`
  return promised('a PUT whose connection broke is sent again', status === 200 && times === 2, figures)
}

const refusesWithoutAny = async ({ send }: RunningProxy, { stop }: Recorder) => {
  stop()
  const refused = [await send({ path: '/terms' }), await send({ method: 'POST', path: '/import/terms', body: ['{}'], from: insider })]
  return promised(
    'without any process, callers are told when to retry',
    refused.every(answer => isError(answer, 503) && answer.headers['retry-after'] === '1'),
    refused.map(({ status }) => status).join(', ')
  )
}

const importKey = 'a key of the proxy check that is long enough'
const settings = {
  TRUST_PROXY: 'loopback',
  COUNTRY_HEADER: 'X-Country',
  DRAIN_DELAY: '5000',
  IMPORT_KEY: importKey,
  // Proxies, services, database and callers share one machine, so a slow event loop is not the service's fault.
  MAX_EVENT_LOOP_DELAY: '0'
}
const size = { viewers: 32, contents: 500 }

/** Tests what callers of the service receive through the proxy, and that restarts of its processes go unnoticed. */
const beforeService = async (program: Program) => {
  const mongod = await startMongod({ say: () => undefined })
  const url = `${mongod.url}/deploy`
  const { client, db } = connectionTo(url)
  const cleanups: (() => unknown)[] = [mongod.stop, () => client.close()]
  try {
    await fill(db, size)
    const services = await Promise.all([1, 2, 3].map(() => startService(url, 'dist', settings)))
    cleanups.push(...services.map(service => () => service.end('SIGKILL')))
    const proxy = await startProxy(
      program,
      services.map(({ port }) => port)
    )
    cleanups.push(proxy.stop)
    const findings: Finding[] = []
    for (const check of [compresses, bounds, refusesUnreadable(program), hidesMetrics, logsIds, importsSlowly, passesStreamsOn])
      findings.push(await check(proxy))
    const ledger = new Ledger()
    findings.push(...(await restartsUnnoticed(program, proxy, services, ledger)))
    return [...findings, await nothingLost(ledger, db), complainsOfNothing(...services)]
  } finally {
    for (const cleanUp of cleanups.reverse()) await cleanUp()
  }
}

const compresses = async ({ send }: RunningProxy) => {
  const path = '/contents?perPage=50'
  const plain = await send({ path })
  const zipped = await send({ path, headers: { 'accept-encoding': 'gzip' } })
  const { etag = '', vary = '', 'content-encoding': encoding } = zipped.headers
  const again = await send({ path, headers: { 'accept-encoding': 'gzip', 'if-none-match': etag } })
  const isSame = encoding === 'gzip' && gunzipSync(zipped.body).equals(plain.body)
  const isWeak = etag === `W/${plain.headers.etag}` && /accept-encoding/i.test(vary)
  return promised(
    'public responses are compressed, with a weak ETag that gets a 304',
    isSame && isWeak && again.status === 304 && again.body.length === 0,
    `${plain.body.length} bytes as ${zipped.body.length}, ${etag}, then ${again.status}`
  )
}

const bounds = async ({ send }: RunningProxy) => {
  const limit = 64 * 1024
  const report = (bytes: number) => JSON.stringify({ content_id: 1, time: 1, filler: '' }).replace('""', `"${'x'.repeat(bytes - 37)}"`)
  // A proxy may close a connection without notice after a body that is too large.
  const headers = { authorization: `Bearer ${tokenOf(1)}`, 'content-type': 'application/json', connection: 'close' }
  const post = (body: string, more = {}) => send({ method: 'POST', path: '/history', headers: { ...headers, ...more }, body: [body] })
  const largest = await post(report(limit), { 'content-length': limit })
  const announced = await post(report(limit + 1), { 'content-length': limit + 1 })
  const inChunks = await post(report(limit + 1))
  const isBounded = largest.status === 201 && isError(announced, 413) && isError(inChunks, 413)
  return promised('a body may have 64 KiB', isBounded, `${largest.status}, with one byte more ${announced.status} and ${inChunks.status}`)
}

const long = 'x'.repeat(17_000)
const unreadable = [
  { sent: { path: `/terms?${long}` }, status: 431 },
  { sent: { path: '/terms', headers: { long } }, status: 431 },
  { sent: { path: '/%zz' }, status: 400 },
  { sent: { method: 'POST', path: '/history', headers: { 'transfer-encoding': 'unknown, chunked' }, body: ['{}'] }, status: 400 },
  { sent: { method: 'TRACE', path: '/terms' }, status: 400 }
]

const refusesUnreadable =
  ({ answersUnreadable }: Program) =>
  async ({ send }: RunningProxy) => {
    const found = await Promise.all(
      unreadable.map(async ({ sent, status }) => {
        // HAProxy closes a connection without notice after a 422.
        const answer = await send({ ...sent, headers: { ...sent.headers, connection: 'close' } })
        const isRefused = answersUnreadable ? isError(answer, status) : answer.status >= 400 && answer.status < 500
        return { isRefused, figures: `${'method' in sent ? sent.method : 'GET'} ${sent.path.slice(0, 10)} ${answer.status}` }
      })
    )
    return promised(
      answersUnreadable ? 'requests that cannot be read get errors of the service' : 'requests that cannot be read get a 4xx',
      found.every(({ isRefused }) => isRefused),
      found.map(({ figures }) => figures).join(', ')
    )
  }

/** Ways to request the metrics. Some are unknown paths, to the proxy or to the service. */
const metricsPaths = ['/metrics', '/metrics?a=b', '/%6detrics', '/metric%73?a', '//metrics', '/metrics/', '/./metrics', '/terms/../metrics']

const hidesMetrics = async ({ send }: RunningProxy) => {
  const answers = await Promise.all(metricsPaths.map(path => send({ path })))
  const isClosed = answers.every(answer => isError(answer, 404))
  return promised('/metrics is private', isClosed, answers.map(({ status }, n) => `${metricsPaths[n]} ${status}`).join(', '))
}

const logsIds = async ({ send, log }: RunningProxy) => {
  const { headers } = await send({ path: '/terms?secret=1' })
  const id = String(headers['x-request-id'])
  const line = await until('A line of the log', async () => (await log()).split('\n').find(line => line.includes(id)), { within: 2000 })
  const isUseful = /^[0-9a-f]{32}$/.test(id) && JSON.parse(line).path === '/terms' && !line.includes('secret')
  return promised('the log of the proxy has the id of a request, and no query', isUseful, line)
}

/** Sends an import that is larger and slower than any other request may be. */
const importsSlowly = async ({ send }: RunningProxy) => {
  const term = (n: number) =>
    `${JSON.stringify({ id: 100_000 + n, vendor_id: `imported-${n}`, name: `Term ${n}`, taxonomy: 'imported' })}\n`
  const half = (from: number) => Array.from({ length: 1000 }, (_, n) => term(from + n)).join('')
  const headers = { authorization: `Bearer ${importKey}` }
  const body = slowly([half(0), half(1000)], 6000)
  const answer = await send({ method: 'POST', path: '/import/terms', headers, body, from: insider })
  const { data } = JSON.parse(answer.body.toString())
  return promised('an import takes its time', answer.status === 200 && data.added === 2000, `${answer.status} ${JSON.stringify(data)}`)
}

/** Follows the changes of a viewer for longer than other responses may take. Between two comments, nothing is sent for 18 s. */
const passesStreamsOn = async ({ open, send }: RunningProxy) => {
  const headers = { authorization: `Bearer ${tokenOf(1)}`, 'content-type': 'application/json' }
  const stream = await open({ path: '/changes/stream', headers })
  let said = ''
  stream.setEncoding('utf8').on('error', () => undefined)
  stream.on('data', text => {
    said += text
  })
  const told = (line: string, times: number) =>
    until(line, () => stream.closed || said.split(`${line}\n`).length > times, { within: 60_000, every: 5 })
  await told('event: ready', 1)
  const took: number[] = []
  for (let n = 1; n <= 9; n++) {
    await send({ method: 'POST', path: '/history', headers, body: [JSON.stringify({ content_id: n, time: n })] })
    const answered = performance.now()
    await told('event: changes', n)
    took.push(performance.now() - answered)
  }
  await told('\n:', 2)
  const isOpen = !stream.closed
  stream.destroy()
  const median = took.sort((a, b) => a - b)[4] as number
  return promised(
    'a stream of changes is passed on as it arrives, and outlasts other responses',
    isOpen && median < 1000,
    `changes ${milliseconds(median)} after the response to the write, ${isOpen ? 'still open after two comments' : 'closed too early'}`
  )
}

const requests = 20_000

/** Restarts the services in turn while viewers use them through the proxy. */
const restartsUnnoticed = async (program: Program, { https, agent }: RunningProxy, services: Server[], ledger: Ledger) => {
  const outcomes = new Outcomes()
  const { viewers: count, contents } = size
  const viewers = startViewers({ count, contents, portOf: () => https, agent, pause: 5, outcomes, ledger })
  const followers = startFollowers({
    users: [1, 2, 3, 4],
    ask: (user, path) => ask(agent, https, { path, user }),
    stream: (user, since) => changesFollowing(agent, https, user, since),
    outcomes: new Outcomes()
  })
  const restarts = await restartInTurn(services, program.settleTime, restarts => {
    say(`${program.name}: ${restarts.length} restarts, ${outcomes.total} of ${requests} requests, ${outcomes}`)
    return outcomes.total >= requests
  })
  await viewers.stop()
  const { different, elements } = await followers.compare()
  const failed = outcomes.besides(isSuccess)
  const slowest = Math.max(...restarts.map(({ took }) => took))
  const restarted = promised(
    'rolling restarts fail no request',
    failed === 0 && restarts.every(({ status }) => status === 0),
    `${failed} of ${outcomes.total} in ${restarts.length} restarts (${outcomes}), slowest response ${milliseconds(outcomes.latencies().slowest)}, slowest start ${milliseconds(slowest)}`
  )
  const followed = promised(
    'streams of changes continue after restarts, and miss nothing',
    different.length === 0 && elements > 0,
    different.join(', ') || `${elements} elements`
  )
  return [restarted, followed]
}
