import { historyId } from './data.js'
import type { Call } from './load.js'
import { tokenOf } from './tokens.js'

export type Peer = 'bare Fastify' | 'Express + Mongoose lean' | 'Express + Mongoose'

export interface Scenario {
  title: string
  peers: Peer[]
  /** The requests that all contestants get, in turn. */
  calls: (users: number) => Call[]
}

/** What the references answer with bytes that are ready. */
export const publicPaths = {
  terms: '/terms',
  legal: '/legal/en',
  rails: '/rail-collections?with=rails',
  contents: '/contents?perPage=20'
}

/** The service reads the user from the token, the references believe a header. */
export const as = (user: number) => ({ authorization: `Bearer ${tokenOf(user)}`, user: String(user) })

const ready = (path: string): Scenario => ({ title: `GET ${path}`, peers: ['bare Fastify'], calls: () => [{ path }] })

const forUsers = (call: (user: number, n: number) => Call) => (users: number) => {
  const elements = Array.from({ length: 10 }, (_, n) => n + 1)
  return elements.flatMap(n => Array.from({ length: users }, (_, i) => ({ ...call(i + 1, n + ((i * 17) % 190)), headers: as(i + 1) })))
}
const progress = { time: 1234, percentage: 42.5 }

export const scenarios = {
  terms: ready(publicPaths.terms),
  legal: ready(publicPaths.legal),
  rails: ready(publicPaths.rails),
  contents: ready(publicPaths.contents),
  history: {
    title: 'GET /history (20 of 200)',
    peers: ['bare Fastify', 'Express + Mongoose lean', 'Express + Mongoose'],
    calls: forUsers(() => ({ path: '/history' }))
  },
  element: {
    title: 'GET /history/{id}',
    peers: ['bare Fastify'],
    calls: forUsers((user, n) => ({ path: `/history/${historyId(user, n)}` }))
  },
  put: {
    title: 'PUT /history/{id}',
    peers: ['bare Fastify'],
    calls: forUsers((user, n) => ({ method: 'PUT', path: `/history/${historyId(user, n)}`, body: progress }))
  },
  post: {
    title: 'POST /history',
    peers: ['bare Fastify'],
    calls: forUsers((_user, n) => ({ method: 'POST', path: '/history', body: { content_id: n, ...progress } }))
  }
} satisfies Record<string, Scenario>
export type ScenarioName = keyof typeof scenarios
