import { availableParallelism } from 'node:os'
import type { Db } from 'mongodb'
import { cursorAt, cursorText } from '../../../src/viewing/change-cursor.js'
import { emailOf, password } from '../data/accounts.js'
import { ageOfChild } from '../data/catalogue.js'
import { historyId } from '../data/histories.js'
import { listed, resetWatchlists, savedContent } from '../data/watchlists.js'
import { as, type Call } from '../load/call.js'
import type { Compared } from '../measures/rounds.js'

export type Peer = 'bare Fastify' | 'Express + Mongoose lean' | 'Express + Mongoose' | 'Nest' | 'Feathers'

/** The sizes of the generated data. */
export interface Extent {
  users: number
  contents: number
}

type RatioGoal = { of: Compared; to: string } & ({ atLeast: number } | { atMost: number })

export interface Scenario {
  title: string
  /** The references that get the same requests. */
  peers: Peer[]
  /** The requests, sent over and over. */
  calls: (extent: Extent) => Call[]
  /** How many units a request counts as: the reports of a batch, or a fraction if several requests make one. The figures are per unit. */
  holds?: number
  /** If a reference has several goals, the strictest is the last. */
  goals: RatioGoal[]
  /** The maximum of database operations per request. */
  operations?: number
  /** Another scenario that the service runs in the same rounds, for comparison. */
  besides?: Scenario
  /** Concurrent callers, if different from the option. */
  connections?: number
  /** Restores the data before each round. */
  reset?: (db: Db, extent: Extent) => Promise<unknown>
}

/** The paths for which bare Fastify sends ready bytes. */
export const publicPaths = {
  terms: '/terms',
  legal: '/legal/en',
  rails: '/rail-collections?with=rails',
  contents: '/contents?perPage=20',
  similar: '/contents/1/similar?perPage=20',
  now: '/schedule/now',
  start: '/home'
}

/** The history length of all users except those whose page times are compared. */
export const usualHistory = 200

const ready = (path: string): Scenario => ({
  title: `GET ${path}`,
  peers: ['bare Fastify'],
  calls: () => [{ path }],
  goals: [{ of: 'perSecond', to: 'bare Fastify', atLeast: 0.5 }],
  operations: 0
})

type CallOfUser = (user: number, n: number, extent: Extent) => Call

/** `each` calls per user, numbered from 1. */
const ofUsers = (each: number, call: CallOfUser) => (extent: Extent) =>
  Array.from({ length: each }, (_, n) => n + 1).flatMap(n =>
    Array.from({ length: extent.users }, (_, i) => ({ ...call(i + 1, n, extent), headers: as(i + 1) }))
  )
const forUsers = (path: string) => ofUsers(1, () => ({ path }))
const forChildren =
  (path: string) =>
  ({ users }: Extent) =>
    Array.from({ length: users }, (_, i) => ({ path, headers: as(i + 1, ageOfChild) }))

/** A request of profiles with an age limit, compared with the same request without one. */
const limited = (path: string): Scenario => {
  const unlimited = `GET ${path} (without a limit)`
  return {
    title: `GET ${path} (of a child)`,
    peers: [],
    calls: forChildren(path),
    goals: [{ of: 'perSecond', to: unlimited, atLeast: 0.4 }],
    besides: { title: unlimited, peers: [], calls: forUsers(path), goals: [] }
  }
}

/** Spreads calls over all elements of a history. */
const element = (user: number, n: number) => 1 + ((user * 17 + n) % usualHistory)
const progress = { time: 1234, percentage: 42.5 }

export const calls = {
  element: (user: number, n: number): Call => ({ path: `/history/${historyId(user, element(user, n))}` }),
  put: (user: number, n: number): Call => ({ method: 'PUT', path: `/history/${historyId(user, element(user, n))}`, body: progress })
}

const likeBareInTime: RatioGoal = { of: 'processor', to: 'bare Fastify', atMost: 1.5 }

const history: Scenario = {
  title: `GET /history (20 of ${usualHistory})`,
  peers: ['bare Fastify', 'Express + Mongoose lean', 'Express + Mongoose', 'Nest', 'Feathers'],
  calls: forUsers('/history'),
  goals: [
    { of: 'perSecond', to: 'Express + Mongoose lean', atLeast: 3.5 },
    { of: 'perSecond', to: 'bare Fastify', atLeast: 0.75 }
  ],
  operations: 2
}

const post: Scenario = {
  title: 'POST /history',
  peers: ['bare Fastify'],
  calls: ofUsers(10, (user, n) => ({ method: 'POST', path: '/history', body: { content_id: element(user, n), ...progress } })),
  goals: [likeBareInTime],
  operations: 1
}

const reportsOfBatch = 100

/** The three requests that replace GET /home for the rows of a user. The figures are for all three together. */
const rowsOfUser: Scenario = {
  title: 'GET /continue-watching, /recommendations, /watchlist',
  peers: [],
  calls: extent => ['/continue-watching', '/recommendations', '/watchlist'].flatMap(path => forUsers(path)(extent)),
  holds: 1 / 3,
  goals: []
}

export const scenarios = {
  terms: ready(publicPaths.terms),
  legal: ready(publicPaths.legal),
  rails: ready(publicPaths.rails),
  contents: ready(publicPaths.contents),
  similar: ready(publicPaths.similar),
  now: ready(publicPaths.now),
  history,
  element: {
    title: 'GET /history/{id}',
    peers: ['bare Fastify'],
    calls: ofUsers(10, calls.element),
    goals: [likeBareInTime],
    operations: 1
  },
  put: {
    title: 'PUT /history/{id}',
    peers: ['bare Fastify'],
    calls: ofUsers(10, calls.put),
    goals: [likeBareInTime],
    operations: 1
  },
  post,
  batch: {
    title: `a report in POST /history/batch (of ${reportsOfBatch})`,
    peers: [],
    calls: ofUsers(2, (user, n) => ({
      method: 'POST',
      path: '/history/batch',
      body: {
        reports: Array.from({ length: reportsOfBatch }, (_, i) => ({ content_id: element(user, n * reportsOfBatch + i), ...progress }))
      }
    })),
    holds: reportsOfBatch,
    goals: [{ of: 'together', to: post.title, atMost: 0.25 }],
    besides: post
  },
  playing: {
    title: 'POST /playing',
    peers: [],
    calls: ofUsers(10, (user, n) => ({ method: 'POST', path: '/playing', body: { content_id: element(user, n) } })),
    goals: [{ of: 'together', to: post.title, atMost: 1.25 }],
    operations: 1,
    besides: post
  },
  changes: {
    title: 'GET /changes (nothing new)',
    peers: [],
    calls: ofUsers(1, user => ({ path: `/changes?since=${cursorText(cursorAt(user, Date.now()))}` })),
    goals: [{ of: 'together', to: history.title, atMost: 1 }],
    operations: 2,
    besides: history
  },
  watchlist: {
    title: `GET /watchlist (20 of ${listed})`,
    peers: ['bare Fastify'],
    calls: forUsers('/watchlist'),
    goals: [],
    operations: 2
  },
  save: {
    title: 'POST /watchlist',
    peers: ['bare Fastify'],
    calls: ofUsers(10, (user, n, { contents }) => ({
      method: 'POST',
      path: '/watchlist',
      body: { content_id: savedContent(user, listed + n, contents) }
    })),
    goals: [],
    operations: 2,
    reset: (db, { users }) => resetWatchlists(db, users)
  },
  cards: {
    title: `GET /continue-watching (history of ${usualHistory})`,
    peers: ['bare Fastify'],
    calls: forUsers('/continue-watching'),
    goals: [],
    operations: 3
  },
  recommendations: {
    title: `GET /recommendations (history of ${usualHistory})`,
    peers: ['bare Fastify'],
    calls: forUsers('/recommendations'),
    goals: [{ of: 'perSecond', to: history.title, atLeast: 0.6 }],
    operations: 1,
    besides: history
  },
  start: ready(publicPaths.start),
  home: {
    title: `GET /home (history of ${usualHistory})`,
    peers: [],
    calls: forUsers('/home'),
    goals: [
      { of: 'processor', to: rowsOfUser.title, atMost: 1 },
      { of: 'together', to: rowsOfUser.title, atMost: 1 }
    ],
    operations: 3,
    besides: rowsOfUser
  },
  childContents: limited(publicPaths.contents),
  childHome: limited(publicPaths.start),
  login: {
    title: 'POST /login',
    peers: [],
    calls: ({ users }) =>
      Array.from({ length: users }, (_, i) => ({ method: 'POST', path: '/login', body: { email: emailOf(i + 1), password } })),
    goals: [],
    // A hash takes a core, so more callers than cores would only wait for each other.
    connections: availableParallelism()
  }
} satisfies Record<string, Scenario>
export type ScenarioName = keyof typeof scenarios
