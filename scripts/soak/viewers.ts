import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Copy, createCopies } from '../../client/copies.js'
import { createMemory } from '../../client/store.js'
import type { Changes } from '../../schemas/changes.js'
import { tokenOf } from '../bench/servers/tokens.js'
import { type Ledger, Outcomes } from './outcomes.js'

export interface Asked {
  method?: 'GET' | 'PUT' | 'POST' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: object
  /** The user whose token is sent. */
  user?: number
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

const sent = (agent: Agent, port: number, { method = 'GET', path, user, headers, body }: Asked) => {
  const payload = body && JSON.stringify(body)
  const all = {
    ...headers,
    ...(user !== undefined && { authorization: `Bearer ${tokenOf(user)}` }),
    ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) })
  }
  const open = agent instanceof TlsAgent ? tlsRequest : request
  return open({ agent, host: '127.0.0.1', port, method, path, headers: all }).end(payload)
}

/** Sends a request once, without retries. */
export const ask = async (agent: Agent, port: number, asked: Asked): Promise<Answer> => {
  const [response] = (await once(sent(agent, port, asked), 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

/** A condition that becomes true after a delay. */
export const after = (milliseconds: number) => {
  const end = performance.now() + milliseconds
  return () => performance.now() >= end
}

/** Milliseconds between a response and the next request. */
const readEvery = 20

/** One caller that repeats a request at a steady pace until `isOver`. */
export const readSteadily = async (port: number, asked: Asked, isOver: () => boolean) => {
  const agent = new Agent({ keepAlive: true })
  const outcomes = new Outcomes()
  while (!isOver()) {
    await outcomes.of(ask(agent, port, asked))
    await sleep(readEvery)
  }
  agent.destroy()
  return outcomes
}

/** Sends a request and hangs up after `after` milliseconds. */
export const askAndHangUp = (agent: Agent, port: number, asked: Asked, after: number) => {
  const hanging = sent(agent, port, asked)
  hanging.on('error', () => undefined)
  hanging.on('response', response => response.resume().on('error', () => undefined))
  setTimeout(() => hanging.destroy(), after)
}

export interface ViewersOptions {
  count: number
  /** The port that the n-th viewer uses. */
  portOf: (n: number) => number
  /** An agent for HTTPS if the port speaks TLS. */
  agent?: Agent
  /** Milliseconds between a response and the next request. */
  pause: number
  /** The number of content items. Their ids start at 1. */
  contents: number
  /** The user id of the first viewer. Each viewer is a different user. */
  firstUser?: number
  outcomes: Outcomes
  ledger: Ledger
  /** Whether some requests are aborted halfway. */
  hangUp?: boolean
  /** Whether reports say when they were made, so that they can be repeated. */
  dated?: boolean
}

/** Milliseconds to wait after a connection broke. */
const pauseAfterFailure = 20
const reads = [
  '/history',
  '/contents',
  '/watchlist',
  '/recommendations',
  '/continue-watching',
  '/history?status=in_progress',
  '/contents?type=film'
]
/** Requests per cycle: one read, one addition to the watchlist, and reports as players send them. */
const cycle = 5
const hangUpEach = 50

/** Starts viewers who report their position and browse, each with one request at a time, until they are stopped. */
export const startViewers = (options: ViewersOptions) => {
  const { count, portOf, pause, contents, firstUser = 1, outcomes, ledger, hangUp, dated } = options
  const { agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }) } = options
  let isStopped = false

  const watch = async (n: number) => {
    const user = firstUser + n
    const elements = new Map<number, string>()
    const send = async (asked: Omit<Asked, 'user'>): Promise<Answer | undefined> => {
      const answer = await outcomes.of(ask(agent, portOf(n), { ...asked, user }))
      if (!answer) await sleep(pauseAfterFailure)
      return answer && answer.status < 300 ? answer : undefined
    }

    const report = async (turn: number) => {
      const content_id = 1 + ((n * 7 + (turn % 3)) % contents)
      const id = elements.get(content_id)
      const write = ledger.reporting(user, content_id, turn)
      const body = { time: turn, percentage: turn % 100, ...(dated && { observed_at: new Date().toISOString() }) }
      const answer = await send(
        id ? { method: 'PUT', path: id, body } : { method: 'POST', path: '/history', body: { content_id, ...body } }
      )
      if (!answer) return
      write.acknowledge()
      if (answer.headers.location) elements.set(content_id, answer.headers.location)
    }

    const save = async (turn: number) => {
      const content_id = 1 + (turn % contents)
      if (await send({ method: 'POST', path: '/watchlist', body: { content_id } })) ledger.acknowledgeSaved(user, content_id)
    }

    for (let turn = 1; !isStopped; turn++) {
      if (turn % cycle === 0) await send({ path: reads[(turn / cycle + n) % reads.length] as string })
      else if (turn % cycle === 1) await save(turn)
      else await report(turn)
      if (hangUp && turn % hangUpEach === 0)
        askAndHangUp(agent, portOf(n), { path: reads[(turn / hangUpEach) % reads.length] as string, user }, turn % 7)
      await sleep(pause)
    }
  }

  const all = Promise.all(Array.from({ length: count }, (_, n) => watch(n)))
  return {
    stop: async () => {
      isStopped = true
      await all
      agent.destroy()
    }
  }
}

/** The changes in a stream, until it ends or breaks off. */
export async function* changesFollowing(agent: Agent, port: number, user: number, since = ''): AsyncGenerator<Changes> {
  const [response] = (await once(sent(agent, port, { path: `/changes/stream?since=${since}`, user }), 'response')) as [IncomingMessage]
  let rest = ''
  for await (const part of response.setEncoding('utf8')) {
    const events = (rest + part).split('\n\n')
    rest = events.pop() as string
    for (const event of events) if (event.startsWith('event: changes')) yield JSON.parse(event.slice(event.indexOf('data: ') + 6))
  }
}

interface Followers {
  users: number[]
  ask: (user: number, path: string) => Promise<Answer>
  /** If it is missing, apps only poll. */
  stream?: (user: number, since: string | undefined) => AsyncIterable<Changes>
  outcomes: Outcomes
}

/** How long a stream may take to send the last changes, in milliseconds. */
const streamPatience = 20_000

/** Milliseconds between two polls of a follower. */
const followEvery = 1000
const lists = ['history', 'watchlist', 'hidden'] as const

interface Listed {
  collection: { content: object }[]
  meta: { next_page: number | false }
}

/** Starts two apps per viewer that keep copies of the lists, as the client does: one polls for changes, the other follows a stream. */
export const startFollowers = ({ users, ask, stream, outcomes }: Followers) => {
  let isStopped = false

  const read = async (user: number, path: string) => {
    const answer = await outcomes.of(ask(user, path))
    if (answer?.status !== 200) throw new Error(`No response to ${path}: ${answer?.body}`)
    return JSON.parse(answer.body).data
  }
  const copiesOf = (user: number, changes: (since: string | undefined) => Promise<Changes>) =>
    createCopies({
      store: createMemory(),
      exclusively: (_name, work) => work(),
      owner: async () => ({ id: user, email: '', name: '' }),
      changes: (_, since) => changes(since)
    })
  // Small pages, so that a fault may happen between two pages of one sync.
  const pageOf = (user: number) => (since: string | undefined) =>
    read(user, `/changes?perPage=20${since === undefined ? '' : `&since=${since}`}`)
  const followers = users.map(user => ({ user, copies: copiesOf(user, pageOf(user)) }))
  const follow = async ({ copies }: (typeof followers)[number]) => {
    while (!isStopped) {
      // After a failure, the next sync continues where this one stopped.
      await copies.sync().catch(() => undefined)
      await sleep(followEvery)
    }
  }
  const told = (stream ? users : []).map(user => {
    let next: Changes
    const copies = copiesOf(user, async () => next)
    const listen = async () => {
      while (!isStopped) {
        try {
          for await (const page of stream?.(user, (await copies.copy())?.cursor) ?? []) {
            next = page
            await copies.sync()
          }
        } catch {
          // The service was killed, or the database is unavailable.
        }
        await sleep(followEvery)
      }
    }
    void listen()
    return { user, copies }
  })
  const following = Promise.all(followers.map(follow))

  const listOf = async (user: number, list: string) => {
    const elements: object[] = []
    for (let page: number | false = 1; page; ) {
      const { collection, meta }: Listed = await read(user, `/${list}?perPage=100&page=${page}`)
      elements.push(...collection.map(({ content: _, ...element }) => element))
      page = meta.next_page
    }
    return elements
  }

  return {
    stop: async () => {
      isStopped = true
      await following
    },

    /** Stops the followers, and resolves with the copies that differ from the lists, and the number of elements in all copies. */
    compare: async () => {
      const different: string[] = []
      let elements = 0
      const compareWith = async (user: number, copy: Copy | undefined, how: string) => {
        const differing: string[] = []
        for (const list of lists) if (!isDeepStrictEqual(copy?.[list], await listOf(user, list))) differing.push(`${list} of ${user}${how}`)
        return differing
      }
      const isOver = after(streamPatience)
      for (const { user, copies } of told) {
        const compareTold = async () => compareWith(user, await copies.copy(), ' by its stream')
        let differing = await compareTold()
        while (differing.length > 0 && !isOver()) {
          await sleep(followEvery)
          differing = await compareTold()
        }
        different.push(...differing)
      }
      isStopped = true
      await following
      for (const { user, copies } of followers) {
        const copy = await copies.sync()
        for (const list of lists) elements += copy[list].length
        different.push(...(await compareWith(user, copy, '')))
      }
      return { different, elements }
    }
  }
}
