import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { type EventType, endpointsOf } from '../../src/webhooks/index.js'
import { say } from '../command-line.js'
import { until } from '../processes.js'
import type { Server } from '../servers.js'
import { Events, type Span, type Waits } from './events.js'
import { answersInTime, complainsOfNothing, milliseconds, promised, stays } from './findings.js'
import { isBroken, isPromised, isSuccess } from './outcomes.js'
import type { Scenario, Stage } from './stage.js'
import { type Answer, type Asked, ask } from './viewers.js'

/** Milliseconds between a response and the same viewer's next request, so that 32 viewers make less than 160 events a second. */
const pace = 200
/** Milliseconds until new processes are warmed up. */
const warmUp = 3000
/** Milliseconds after a fault during which events are counted separately. */
const aftermath = 20_000
/** Milliseconds without an arrival after which no more events are expected. */
const quiet = 30_000

/** What the documentation promises: milliseconds for 99 of 100 events, and for all after a kill or stop of the process that delivers. */
const soon = 2000
const takeovers = { kill: 20_000, stop: 5000 }
/** Attempts per second for an endpoint that always fails. There are more at first, and after each takeover. */
const fewAttempts = 20
/** Events a second, and for how many seconds. */
const [burstRate, burstTime] = [500, 10]
/** Reports per request of the burst. With one each, a small machine is busy with requests, and there are fewer events a second. */
const burstSize = 20
const burstEvery = 20

const firstUser = 1_000_000
const firstOfBurst = 2_000_000

const keyOf = (type: EventType, user: number, content: number) => `${type} ${user} ${content}`

/** The films of the catalogue. A rating of anything else would count for its show. */
const filmsIn = (contents: number) => Array.from({ length: contents }, (_, n) => n + 1).filter(id => Math.floor((id - 1) / 25) % 2 === 1)

/** Resolves with the response if the request has caused these events. */
type Send = (events: string[], asked: Asked) => Promise<Answer | undefined>

const started = (user: number, content: number) => keyOf('playback.started', user, content)
const beginning = (content_id: number) => ({ content_id, time: 60, percentage: 10 })

/** What a viewer does with a film, until a request fails. Each request is an event. */
const watch = async (send: Send, user: number, content_id: number) => {
  let answer = await send([started(user, content_id)], { method: 'POST', path: '/history', body: beginning(content_id), user })
  const path = answer?.headers.location ?? ''
  const steps: [EventType, Asked][] = [
    ['playback.completed', { method: 'PUT', path, body: { time: 6000, percentage: 100 } }],
    ['rating.set', { method: 'PUT', path: `/ratings/${content_id}`, body: { rating: 'like' } }],
    ['rating.removed', { method: 'DELETE', path: `/ratings/${content_id}` }],
    ['watchlist.added', { method: 'POST', path: '/watchlist', body: { content_id } }],
    ['watchlist.removed', { method: 'DELETE', path: '/watchlist' }]
  ]
  for (const [type, asked] of steps) {
    await sleep(pace)
    if (answer) answer = await send([keyOf(type, user, content_id)], { ...asked, user })
  }
}

/** Registers a server as an endpoint until the end of the scenario. Resolves with its secret. */
const listen = async (stage: Stage, id: string, server: NetServer) => {
  await once(server.listen(0, '127.0.0.1').unref(), 'listening')
  const endpoints = endpointsOf(stage.db)
  stage.onEnd(() => endpoints.remove(id).finally(() => server.close()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return endpoints.add(id, { url, events: undefined, isPrivate: true })
}

/** Adds an endpoint that accepts everything, one that hangs, and one that breaks every connection. */
const addEndpoints = async (stage: Stage) => {
  const events = new Events()
  let verifier: Webhook | undefined
  const hanging = createServer(() => undefined)
  const good = createServer(async (request, response) => {
    const at = performance.now()
    const body = await text(request)
    response.writeHead(204).end()
    try {
      verifier?.verify(body, request.headers as Record<string, string>)
    } catch {
      events.forged++
    }
    const { type, data } = JSON.parse(body)
    events.arrive(keyOf(type, data.user_id, data.content_id), String(request.headers['webhook-id']), at)
  })
  verifier = new Webhook(await listen(stage, 'good', good))
  await listen(stage, 'hanging', hanging)
  const dead = { attempts: 0 }
  const breakOff = createNetServer(socket => {
    dead.attempts++
    socket.destroy()
  })
  await listen(stage, 'dead', breakOff)
  return { events, dead }
}

const deliveriesOf = async ({ port }: Server) => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^webhook_deliveries_total (.+)$/m.exec(metrics)?.[1])
}

/** Starts two processes behind a balancer. The faults affect the one that delivers, and resolve with when they began. */
const startServices = async (stage: Stage, events: Events) => {
  const services = [await stage.service(), await stage.service()]
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  stage.onEnd(() => agent.destroy())
  let away: Server | undefined

  const send: Send = async (caused, asked) => {
    const there = services.filter(service => service !== away)
    const { port } = there[(asked.user as number) % there.length] as Server
    const answer = await stage.outcomes.of(ask(agent, port, asked))
    if (!answer || !isSuccess(String(answer.status))) return undefined
    for (const event of caused) events.acknowledge(event)
    return answer
  }
  const deliverer = async () => {
    const before = await Promise.all(services.map(deliveriesOf))
    return until('Deliveries', async () => {
      const now = await Promise.all(services.map(deliveriesOf))
      return services.find((_, n) => (now[n] as number) > (before[n] as number))
    })
  }
  const restart = async (signal: 'SIGTERM' | 'SIGKILL') => {
    away = await deliverer()
    const at = performance.now()
    await away.end(signal)
    await away.run()
    away = undefined
    return at
  }
  return { services, send, restart }
}

const killPrimary = async ({ set }: Stage) => {
  const member = await set.primary()
  const at = performance.now()
  await member.kill()
  await set.primary()
  await member.revive()
  await set.whole()
  return at
}

/** Sends requests at a fixed rate, whether or not there are responses. Resolves with the rate of events that was reached. */
const sendBurst = async (send: Send, films: number[]) => {
  const sendSome = (n: number) => {
    const user = firstOfBurst + n
    const contents = Array.from({ length: burstSize }, (_, index) => films[(n + index) % films.length] as number)
    const reports = contents.map(beginning)
    return send(
      contents.map(content => started(user, content)),
      { method: 'POST', path: '/history/batch', body: { reports }, user }
    )
  }
  const began = performance.now()
  const secondsOver = () => (performance.now() - began) / 1000
  const sending: unknown[] = []
  const total = (burstRate * burstTime) / burstSize
  while (sending.length < total) {
    const due = Math.min(total, (secondsOver() * burstRate) / burstSize)
    while (sending.length < due) sending.push(sendSome(sending.length))
    await sleep(burstEvery)
  }
  await Promise.all(sending)
  return Math.round((burstRate * burstTime) / secondsOver())
}

/** Viewers whose events are sent to three endpoints, while the process that delivers is killed and stopped. */
export const webhooks: Scenario = async stage => {
  const { options, outcomes } = stage
  const { events, dead } = await addEndpoints(stage)
  const { services, send, restart } = await startServices(stage, events)
  const films = filmsIn(options.contents)
  let isOver = false
  const view = async (n: number) => {
    for (let turn = 0; !isOver; turn++) {
      const round = Math.floor(turn / films.length)
      await watch(send, firstUser + n + round * options.viewers, films[turn % films.length] as number)
    }
  }
  const kills = Array.from({ length: options.kills }, () => ({ name: 'kill', cause: () => restart('SIGKILL') }))
  const stop = { name: 'stop', cause: () => restart('SIGTERM') }
  const faults = [...kills, stop, ...(options.brief ? [] : [{ name: 'election', cause: () => killPrimary(stage) }])]
  const steady = options.brief ? warmUp : (options.minutes * 60_000) / (faults.length + 1)

  await until('The change stream', () => stage.db.collection<{ _id: string }>('revisions').findOne({ _id: 'webhooks' }))
  await sleep(warmUp)
  const began = performance.now()
  const viewing = Promise.all(Array.from({ length: options.viewers }, (_, n) => view(n)))
  const spans: Span[] = []
  for (const { name, cause } of faults) {
    await sleep(steady)
    const at = await cause()
    if (options.brief) await until('What was missed', () => events.missing(performance.now() - soon).length === 0)
    else await sleep(aftermath)
    // Includes events that had not been delivered when the fault began.
    const span = { name, from: at - soon, to: performance.now() - soon }
    spans.push(span)
    say(`webhooks: ${name}, ${events.during(span)}`)
  }
  await sleep(steady)
  isOver = true
  await viewing
  const perSecond = (1000 * dead.attempts) / (performance.now() - began)

  const isQuiet = () => events.missing().length === 0 || performance.now() - events.lastArrival > quiet
  await until('The last event', isQuiet)
  const burst = { name: 'burst', from: performance.now(), to: Number.POSITIVE_INFINITY }
  const rate = options.brief ? burstRate : await sendBurst(send, films)
  await until('The last event', isQuiet)

  const missing = events.missing()
  const { acknowledged, delivered, doubled } = events.counts
  const timely = (promise: string, waits: Waits) =>
    promised(promise, options.brief ? undefined : waits.percentile(0.99) <= soon, `${waits}`)
  const takeover = (name: keyof typeof takeovers) => {
    const slowest = spans.filter(span => span.name === name).map(span => events.during(span).percentile(1))
    const promise = `after a ${name} of the process that delivers, every event arrives within ${takeovers[name] / 1000} s`
    const isInTime = Math.max(...slowest) <= takeovers[name]
    // If other tests run at the same time, a stop takes longer.
    return promised(promise, options.brief && !isInTime ? undefined : isInTime, slowest.map(milliseconds).join(', '))
  }
  return [
    promised(
      'every event of an acknowledged write is delivered',
      acknowledged > 0 && missing.length === 0,
      `${missing.length} of ${acknowledged} missing${missing.slice(0, 5).map(key => `; ${key}`)}, ${doubled} of ${delivered} more than once`
    ),
    promised('every delivery has a valid signature', events.forged === 0, `${events.forged} have none`),
    timely('99 of 100 events arrive within 2 s when nothing fails', events.besides([...spans, burst])),
    timely(`99 of 100 of ${rate} events a second arrive within 2 s`, events.during(burst)),
    takeover('kill'),
    takeover('stop'),
    promised('an endpoint that is dead gets few attempts', perSecond <= fewAttempts, `${perSecond.toFixed(1)} a second`),
    promised(
      'callers see only successes, 503s and broken connections',
      outcomes.besides(kind => isPromised(kind) || isBroken(kind)) === 0,
      `${outcomes}`
    ),
    ...(options.brief ? [] : [answersInTime(outcomes)]),
    stays(...services),
    complainsOfNothing(...services)
  ]
}
