import { availableParallelism } from 'node:os'
import { cursorAt, cursorText } from '../../src/sync/index.js'
import { nameOf, terms } from './data/catalogue.js'
import { choicesFrom } from './data/generate.js'
import { emailOf, historyId, listed, password } from './data/viewers.js'
import type { Call } from './load.js'
import { as } from './servers/tokens.js'

export type Peer = 'bare Fastify' | 'Express + Mongoose'

export interface Extent {
  users: number
  contents: number
}

type Goal = { of: 'perSecond' | 'processor' | 'together'; to: string } & ({ atLeast: number } | { atMost: number })

export interface Scenario {
  title: string
  /** The references that receive the same requests. */
  peers: Peer[]
  /** The requests, sent over and over. */
  calls: (extent: Extent) => Call[]
  /** How many units a request counts as: the reports in a batch, or a fraction if several requests make up one. */
  holds?: number
  goals?: Goal[]
  /** The maximum number of database operations per unit. */
  operations?: number
  /** The maximum of resident megabytes. The service is restarted for this scenario. */
  memory?: number
  /** Other requests that the service receives in the same rounds, for comparison. */
  besides?: Scenario[]
  /** Concurrent callers, if different from the option. */
  connections?: number
}

/** The history length of all users, except for the additional ones below. */
export const usualHistory = 200
export const otherHistories = [100, 1000, 2000, 10_000]

type CallOfUser = (user: number, n: number, extent: Extent) => Call

/** `each` calls per user. Users are numbered from 1. */
const ofUsers = (each: number, call: CallOfUser) => (extent: Extent) =>
  Array.from({ length: each }, (_, n) => n + 1).flatMap(n =>
    Array.from({ length: extent.users }, (_, i) => ({ headers: as(i + 1), ...call(i + 1, n, extent) }))
  )
const forUsers = (path: string) => ofUsers(1, () => ({ path }))

/** Spreads calls over all elements of a history. */
const element = (user: number, n: number) => 1 + ((user * 17 + n) % usualHistory)
const progress = { time: 1234, percentage: 42.5 }
const getElement: CallOfUser = (user, n) => ({ path: `/history/${historyId(user, element(user, n))}` })
const putElement: CallOfUser = (user, n) => ({ ...getElement(user, n, { users: 0, contents: 0 }), method: 'PUT', body: progress })

/** Bare Fastify sends ready bytes for these paths. */
export const publicPaths = {
  terms: '/terms',
  legal: '/legal/en',
  rails: '/rail-collections?with=rails',
  contents: '/contents?perPage=20',
  similar: '/contents/1/similar?perPage=20',
  now: '/schedule/now',
  start: '/home'
}

/** Judged by processor time, because autocannon is slower than bare Fastify. */
const ready = (path: string): Scenario => ({
  title: `GET ${path}`,
  peers: ['bare Fastify'],
  calls: () => [{ path }],
  goals: [{ of: 'processor', to: 'bare Fastify', atMost: 2 }],
  operations: 0
})

/** Lists or searches of the catalogue, different every time, so that no response is cached. */
const ofCatalogue = (title: string, queryOf: (n: number) => string): Scenario => ({
  title,
  peers: [],
  calls: () => Array.from({ length: 20_000 }, (_, n) => ({ path: `/contents?${queryOf(n)}` }))
})
const pairOf = (n: number, of: number) => [1 + (n % of), 1 + ((n * 7919 + Math.floor(n / of)) % of)]
const byTerms = ofCatalogue('GET /contents?terms=', n => `terms=${pairOf(n, terms)}`)
const termsSearched = ofCatalogue('GET /contents?search= (names of terms)', n => `search=term%20${pairOf(n, terms).join('%20')}`)

/** A page of the one user with a history of this length. */
const ofLength = (path: string, length: number): Scenario => ({
  title: `GET ${path} (history of ${length})`,
  peers: [],
  calls: ({ users }) => [{ path, headers: as(users + 1 + otherHistories.indexOf(length)) }]
})

const history: Scenario = {
  title: `GET /history (20 of ${usualHistory})`,
  peers: ['bare Fastify', 'Express + Mongoose'],
  calls: forUsers('/history'),
  goals: [
    { of: 'perSecond', to: 'Express + Mongoose', atLeast: 3.5 },
    { of: 'perSecond', to: 'bare Fastify', atLeast: 0.75 }
  ],
  operations: 2
}

/** Requests for single elements, which cost one operation. */
const single = (title: string, call: CallOfUser): Scenario => ({
  title,
  peers: ['bare Fastify'],
  calls: ofUsers(10, call),
  goals: [{ of: 'processor', to: 'bare Fastify', atMost: 1.5 }],
  operations: 1
})

const post = single('POST /history', (user, n) => ({
  method: 'POST',
  path: '/history',
  body: { content_id: element(user, n), ...progress }
}))

const reportsOfBatch = 100
const batchOf: CallOfUser = (user, n) => {
  const reports = Array.from({ length: reportsOfBatch }, (_, i) => ({ content_id: element(user, n * reportsOfBatch + i), ...progress }))
  return { method: 'POST', path: '/history/batch', body: { reports } }
}

/** The three requests that replace GET /home for the rows of a user. The figures are for all three together. */
const rowsOfUser: Scenario = {
  title: 'GET /continue-watching, /recommendations, /watchlist',
  peers: [],
  calls: extent => ['/continue-watching', '/recommendations', '/watchlist'].flatMap(path => forUsers(path)(extent)),
  holds: 1 / 3
}

/** A hundred requests of players: heartbeats, lists, and occasional reads. */
const shares: [number, CallOfUser][] = [
  [70, putElement],
  ...['/history', '/watchlist', '/continue-watching'].map((path): [number, CallOfUser] => [5, () => ({ path })]),
  [5, getElement],
  [2, () => ({ path: '/recommendations' })],
  [3, () => ({ path: publicPaths.contents })],
  [2, (user, n) => ({ path: `/contents/${1 + ((user * 7 + n) % 100)}` })],
  ...[publicPaths.rails, publicPaths.terms, publicPaths.legal].map((path): [number, CallOfUser] => [1, () => ({ path })])
]
const mixedCalls = (extent: Extent) => {
  const random = choicesFrom(1)
  const deck = shares.flatMap(([count, call]) => Array<CallOfUser>(count).fill(call))
  return ofUsers(25, (user, n) => random.of(deck)(user, n, extent))(extent)
}

const recommendations: Scenario = {
  title: `GET /recommendations (history of ${usualHistory})`,
  peers: ['bare Fastify'],
  calls: forUsers('/recommendations'),
  goals: [{ of: 'perSecond', to: history.title, atLeast: 0.6 }],
  operations: 1,
  besides: [history]
}

export const scenarios: Record<string, Scenario> = {
  terms: ready(publicPaths.terms),
  legal: ready(publicPaths.legal),
  rails: ready(publicPaths.rails),
  contents: ready(publicPaths.contents),
  similar: ready(publicPaths.similar),
  now: ready(publicPaths.now),
  start: ready(publicPaths.start),
  history,
  'long-history': {
    ...ofLength('/history', 10_000),
    goals: [{ of: 'together', to: ofLength('/history', 100).title, atMost: 4 }],
    besides: [ofLength('/history', 1000), ofLength('/history', 100)],
    operations: 2
  },
  people: {
    ...ofCatalogue('GET /contents?people=', n => `people=${pairOf(n, 5000)}`),
    goals: [{ of: 'perSecond', to: byTerms.title, atLeast: 0.8 }],
    besides: [byTerms]
  },
  names: {
    ...ofCatalogue('GET /contents?search= (names of people)', n => `search=${encodeURIComponent(nameOf(1 + (n % 5000)))}`),
    goals: [{ of: 'perSecond', to: termsSearched.title, atLeast: 0.8 }],
    besides: [termsSearched]
  },
  element: single('GET /history/{id}', getElement),
  put: single('PUT /history/{id}', putElement),
  post,
  batch: {
    title: `a report in POST /history/batch (of ${reportsOfBatch})`,
    peers: [],
    calls: ofUsers(2, batchOf),
    holds: reportsOfBatch,
    goals: [{ of: 'together', to: post.title, atMost: 0.25 }],
    besides: [post]
  },
  playing: {
    title: 'POST /playing',
    peers: [],
    calls: ofUsers(10, (user, n) => ({ method: 'POST', path: '/playing', body: { content_id: element(user, n) } })),
    goals: [{ of: 'together', to: post.title, atMost: 1.25 }],
    operations: 1,
    besides: [post]
  },
  changes: {
    title: 'GET /changes (nothing new)',
    peers: [],
    calls: ofUsers(1, user => ({ path: `/changes?since=${cursorText(cursorAt(user, Date.now()))}` })),
    goals: [{ of: 'together', to: history.title, atMost: 1 }],
    operations: 2,
    besides: [history]
  },
  watchlist: {
    title: `GET /watchlist (20 of ${listed})`,
    peers: ['bare Fastify'],
    calls: forUsers('/watchlist'),
    operations: 2
  },
  cards: {
    title: `GET /continue-watching (history of ${usualHistory})`,
    peers: ['bare Fastify'],
    calls: forUsers('/continue-watching'),
    operations: 3
  },
  'long-cards': {
    ...ofLength('/continue-watching', 10_000),
    goals: [
      { of: 'together', to: ofLength('/continue-watching', 2000).title, atMost: 1.3 },
      { of: 'together', to: ofLength('/history', 2000).title, atMost: 4 }
    ],
    besides: [ofLength('/continue-watching', 2000), ofLength('/history', 2000)],
    operations: 3
  },
  plays: {
    ...ofLength('/plays', 10_000),
    goals: [{ of: 'together', to: ofLength('/continue-watching', 10_000).title, atMost: 1.5 }],
    besides: [ofLength('/continue-watching', 10_000)],
    operations: 2
  },
  recommendations,
  watched: {
    title: `GET /contents?watched=false (history of ${usualHistory})`,
    peers: [],
    calls: forUsers('/contents?watched=false'),
    goals: [{ of: 'processor', to: recommendations.title, atMost: 1.3 }],
    operations: 1,
    besides: [recommendations]
  },
  home: {
    title: `GET /home (history of ${usualHistory})`,
    peers: [],
    calls: forUsers('/home'),
    goals: [
      { of: 'processor', to: rowsOfUser.title, atMost: 1 },
      { of: 'together', to: rowsOfUser.title, atMost: 1 }
    ],
    operations: 3,
    besides: [rowsOfUser]
  },
  login: {
    title: 'POST /login',
    peers: [],
    calls: ofUsers(1, user => ({ method: 'POST', path: '/login', headers: {}, body: { email: emailOf(user), password } })),
    // A hash occupies a core, so more callers than cores would only wait for each other.
    connections: availableParallelism()
  },
  mix: {
    title: 'The mix of players: 70 % PUT /history/{id}, 15 % lists, 15 % other reads',
    peers: [],
    calls: mixedCalls,
    memory: 200
  }
}
