import { randomInt, randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { usersOf } from '../../src/data/users.js'
import { hashPassword } from '../../src/identity/passwords.js'
import { say } from '../command-line.js'
import { attacks as calls } from './attacks.js'
import { fillAttacked } from './data.js'
import { complainsOfNothing, type Finding, milliseconds, promised, stays } from './findings.js'
import { startLoad } from './load.js'
import { inWords, isPromised, isSuccess, type Latencies, Outcomes } from './outcomes.js'
import type { Scenario } from './stage.js'
import { type Asked, after, ask, readSteadily } from './viewers.js'

/** Seconds for finding the maximum. */
const measuring = 5
const shareOfMinutes = 0.1
const lookEvery = 100
/** The load, relative to what the service can handle. */
const excess = 2
/** The p99 of refusals and of admitted requests, in milliseconds. */
const refusedWithin = 500
const servedWithin = 1000
/** The p99 and the maximum for /health and /ready, in milliseconds. Orchestrators time out after a second. */
const vitalWithin = 1000
const vitalLongest = 3000

/** Twice as many requests as the service can handle, arriving at a fixed rate regardless of earlier ones. */
export const overload: Scenario = async stage => {
  const { options } = stage
  const service = await stage.service()
  const { port } = service
  const calls = Array.from({ length: options.viewers }, (_, n) => callsOf(n + 1)).flat()

  say('overload: finding the maximum')
  await peakOf(port, calls, options.viewers)
  const peak = await peakOf(port, calls, options.viewers)
  say(`overload: ${Math.round(peak * excess)} requests/s, with a maximum of ${Math.round(peak)}`)

  const vital = new Outcomes()
  const agent = new Agent({ keepAlive: true })
  stage.onEnd(() => agent.destroy())
  const load = startLoad(port)
  stage.onEnd(load.end)
  const look = () => ['/health', '/ready'].map(path => vital.of(ask(agent, port, { path, user: 1 })))
  const looking = setInterval(look, lookEvery)
  const { counts, successes, refusals } = await load.flood(calls, peak * excess, options.minutes * 60 * shareOfMinutes)
  clearInterval(looking)

  await sleep(lookEvery)
  const later = new Outcomes()
  for (let n = 1; n <= options.viewers; n++) await later.of(ask(agent, port, { path: '/history', user: n }))

  return [
    promised(
      'under overload, callers get only successes and 503s with Retry-After',
      Object.keys(counts).every(isPromised) && refusals.count === (counts['503'] ?? 0),
      inWords(counts)
    ),
    promised('refusals are fast', refusals.count > 0 ? refusals.p99 <= refusedWithin : undefined, latencies(refusals)),
    promised('admitted requests are served fast', successes.p99 <= servedWithin, latencies(successes)),
    promised(
      '/health and /ready always respond',
      vital.besides(isSuccess) === 0 && vital.latencies().p99 <= vitalWithin && vital.latencies().slowest <= vitalLongest,
      latencies(vital.latencies())
    ),
    promised(
      'afterwards every request is served',
      later.besides(isSuccess) === 0,
      `${later}, slowest ${milliseconds(later.latencies().slowest)}`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}

const callsOf = (user: number): Asked[] => {
  const body = { content_id: user, time: 60, percentage: 10 }
  return [
    { path: '/history', user },
    { method: 'POST', path: '/history', user, body },
    { path: '/contents', user }
  ]
}

const latencies = ({ count, p50, p99, slowest }: Latencies) =>
  `${count}, p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, slowest ${milliseconds(slowest)}`

/** The maximum throughput in requests per second: every caller sends its next request as soon as it has a response. */
const peakOf = async (port: number, calls: Asked[], callers: number) => {
  const agent = new Agent({ keepAlive: true })
  const outcomes = new Outcomes()
  const isOver = after(measuring * 1000)
  let sent = 0
  const call = async () => {
    while (!isOver()) await outcomes.of(ask(agent, port, calls[sent++ % calls.length] as Asked))
  }
  await Promise.all(Array.from({ length: callers }, call))
  agent.destroy()
  if (outcomes.besides(isSuccess) > 0) throw new Error(`Requests failed: ${outcomes}`)
  return outcomes.total / measuring
}

/** What slow senders send at once, and then byte by byte. */
const beginnings = [
  { begin: '', drop: '' },
  { begin: 'GET /contents HTTP/1.1\r\nHost: x\r\nX: ', drop: 'x' },
  { begin: 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{"email":"', drop: 'x' },
  { begin: 'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', drop: '1\r\nx\r\n' }
]
const dropEvery = 500
/** Longer than any connection should last, in milliseconds. */
const patience = 20_000
const closedWithin = 15_000
/** Milliseconds for which another caller is measured before the slow senders arrive. */
const quietFor = 2000

/** Resolves with the milliseconds until the service closed the connection, and whether it sent a 408. */
const dribble = async (port: number, { begin, drop }: (typeof beginnings)[number]) => {
  const began = performance.now()
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  socket.on('error', socket.destroy)
  socket.write(begin)
  const dropping = setInterval(() => socket.write(drop), dropEvery)
  await Promise.race([new Promise(resolve => socket.on('close', resolve)), sleep(patience, undefined, { ref: false })])
  clearInterval(dropping)
  socket.destroy()
  return { lasted: performance.now() - began, got408: answer.startsWith('HTTP/1.1 408 ') }
}

/** Hundreds of connections that send heads and bodies byte by byte. */
export const slow: Scenario = async stage => {
  const service = await stage.service()
  const { port } = service
  const senders = stage.options.brief ? 100 : 500
  say(`slow: ${senders} connections send byte by byte`)
  const read = (isOver: () => boolean) => readSteadily(port, { path: '/contents?perPage=5' }, isOver)
  const quiet = await read(after(quietFor))
  let ended = false
  const dribbling = Array.from({ length: senders }, (_, n) =>
    dribble(port, beginnings[n % beginnings.length] as (typeof beginnings)[number])
  )
  const reading = read(() => ended)
  const all = await Promise.all(dribbling)
  ended = true
  const beside = await reading
  const longest = Math.max(...all.map(({ lasted }) => lasted))
  const timedOut = all.filter(({ got408 }) => got408).length
  return [
    promised('slow senders are disconnected within 15 s', longest <= closedWithin, `the last after ${milliseconds(longest)}`),
    promised('each of them gets a 408', timedOut === senders, `${timedOut} of ${senders}`),
    promised(
      'other callers are not affected',
      beside.besides(isSuccess) === 0,
      `they got ${beside}, p99 ${milliseconds(beside.latencies().p99)} (${milliseconds(quiet.latencies().p99)} before)`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}

/** Logins that start at the same time, once a second. */
const loginsAtOnce = 200
/** How much slower a page of history may get during a flood or an attack. */
const slowerAtMost = 3
/** Counters per login: for the user, for the address, and for both. */
const countsEach = 3
const credentials = { email: 'soak@example.com', password: 'the password of the soak' }

/** A login of another user from another address each time, so that no limit on failed logins saves the service any work. */
const anotherLogin = (): Asked => ({
  method: 'POST',
  path: '/login',
  headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` },
  body: { email: `${randomUUID()}@example.com`, password: credentials.password }
})

/** 200 logins at once, each for another user, while a signed-in user reads. */
export const logins: Scenario = async stage => {
  const { db, options } = stage
  const users = usersOf(db)
  // The first user is one of the viewers with a history.
  if (!(await users.byEmail(credentials.email)))
    await users.add({ email: credentials.email, name: 'Soak', password_hash: await hashPassword(credentials.password) })
  const service = await stage.service({ TRUST_PROXY: '1', RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0', LOGIN_LIMIT: '10' })
  const { port } = service
  const seconds = options.brief ? 2 : 10
  say(`logins: ${loginsAtOnce} at once, for ${seconds} s`)
  const signedIn = await fetch(`http://127.0.0.1:${port}/login`, { method: 'POST', body: JSON.stringify(credentials) })
  const { data } = (await signedIn.json()) as { data: { access_token: string } }
  const headers = { authorization: `Bearer ${data.access_token}` }
  const read = () => readSteadily(port, { path: '/history', headers }, after(seconds * 1000))
  const quiet = (await read()).latencies()

  const got = new Outcomes()
  const agent = new Agent({ keepAlive: true })
  stage.onEnd(() => agent.destroy())
  let isOver = false
  const flooding = (async () => {
    while (!isOver)
      await Promise.all([sleep(1000), ...Array.from({ length: loginsAtOnce }, () => got.of(ask(agent, port, anotherLogin())))])
  })()
  const flooded = (await read()).latencies()
  isOver = true
  await flooding

  const counted = await db.collection('login_attempts').countDocuments()
  return [
    promised(
      'the p99 of a page of history is at most 3 times that without the flood',
      // When other tests run at the same time, the reference is not quiet.
      options.brief ? undefined : flooded.p99 <= slowerAtMost * quiet.p99,
      `${milliseconds(flooded.p99)} instead of ${milliseconds(quiet.p99)}`
    ),
    promised(
      'every login gets a 401 or a 429',
      // When other tests run at the same time, the last logins may miss their deadline.
      options.brief && got.counts['503'] ? undefined : got.besides(kind => kind === '401' || kind === '429') === 0,
      `${got}`
    ),
    promised(
      'logins that do not fit in the queue cause no database operation',
      // When other tests run at the same time, so few logins may be answered that the queue never overflows.
      options.brief && got.total <= loginsAtOnce ? undefined : counted < countsEach * got.total * 0.5,
      `${counted} counters for ${got.total} logins`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}

const attackersAtOnce = 40
/** Milliseconds within which /health and /ready must respond during an attack. */
const vitalUnderAttack = 100
const requestsForMemory = 10_000
const growsAtMost = 40e6
const settled = 60_000

/** Requests that are as expensive as possible, 40 at once, while another viewer reads the history and a balancer checks /ready. */
export const attacks: Scenario = async stage => {
  const { options, db } = stage
  await fillAttacked(db, options.brief ? 0.02 : 1)
  const service = await stage.service()
  const { port } = service
  const time = options.brief ? 300 : 5000
  const read = (asked: Asked) => readSteadily(port, asked, after(time))
  const look = () => Promise.all([read({ path: '/history', user: 1 }), read({ path: '/health' }), read({ path: '/ready' })])

  await look()
  const quiet = (await look())[0].latencies()
  const findings: Finding[] = []
  const load = startLoad(port)
  stage.onEnd(load.end)
  for (const name of Object.keys(calls)) {
    say(`attacks: ${name}`)
    await load.attack(attackersAtOnce, name)
    const all = await look()
    const statuses = await load.stop()
    const [history, ...vital] = all.map(outcomes => outcomes.latencies()) as [Latencies, ...Latencies[]]
    const slowest = Math.max(...vital.map(({ slowest }) => slowest))
    const isServed = all.every(outcomes => outcomes.besides(kind => kind === '200') === 0)
    findings.push(
      promised(
        `${name}: the p99 of a page of history is at most ${slowerAtMost} times that without attack`,
        // When other tests run at the same time, the reference is not quiet.
        options.brief ? undefined : history.p99 <= slowerAtMost * quiet.p99 && isServed,
        `${milliseconds(history.p99)} instead of ${milliseconds(quiet.p99)}; the attackers got ${inWords(statuses)}`
      ),
      promised(
        `${name}: /health and /ready respond within ${vitalUnderAttack} ms`,
        options.brief ? undefined : slowest <= vitalUnderAttack && isServed,
        `slowest ${milliseconds(slowest)}`
      ),
      promised(`${name}: no 500`, !Object.keys(statuses).includes('500'), inWords(statuses))
    )
  }

  const before = (await service.holds()).rss
  const requests = options.brief ? 200 : requestsForMemory
  say(`attacks: ${requests} different queries of 15 KB`)
  await load.attack(attackersAtOnce, undefined, requests)
  await load.finish()
  if (!options.brief) await sleep(settled)
  const grown = (await service.holds()).rss - before
  return [
    ...findings,
    promised(
      `memory grows by at most ${growsAtMost / 1e6} MB after ${requests} different queries`,
      options.brief ? undefined : grown <= growsAtMost,
      `${Math.round(grown / 1e6)} MB on top of ${Math.round(before / 1e6)} MB`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
