import type { Test } from 'tap'
import {
  type Client,
  type ClientOptions,
  createClient,
  type KeptReport,
  type Session,
  type Store,
  type Stored,
  ViewerError
} from '../../client/index.js'
import { type App, addUser, build, password } from '../helpers/app.js'
import { seededUrl } from '../helpers/database.js'
import { content } from '../helpers/documents.js'
import { closedGate } from '../helpers/until.js'

const seed = { contents: [1, 2, 3].map(id => content(id, { type: 'film', name: `Film ${id}` })) }

interface ServeOptions {
  settings?: Record<string, string>
  port?: number
  url?: string
}

/** The service at a port of this machine; `again` serves the same database there after it was closed. */
export const serve = async (t: Test, { settings = {}, port = 0, url }: ServeOptions = {}) => {
  const database = url ?? (await seededUrl(t, seed))
  const app = await build(t, { settings, url: database })
  const baseUrl = await app.listen({ host: '127.0.0.1', port })
  const again = () => serve(t, { settings, port: Number(new URL(baseUrl).port), url: database })
  return { app, baseUrl, again }
}

interface Recorded {
  path: string
  body: Record<string, unknown>
}

/** A client that records its requests. */
export const clientOf = (t: Test, baseUrl: string, options: Partial<ClientOptions> = {}) => {
  const sent: Recorded[] = []
  const fetch = options.fetch ?? globalThis.fetch
  const client = createClient({
    baseUrl,
    ...options,
    fetch: async (request, init) => {
      const body = await request.clone().text()
      sent.push({ path: `${request.method} ${new URL(request.url).pathname}`, body: body && JSON.parse(body) })
      return fetch(request, init)
    }
  })
  t.teardown(client.close)
  const count = (path: string) => sent.filter(recorded => recorded.path === path).length
  return { client, sent, count }
}

/** Holds back the requests to a path, or only their answers, until it is opened. */
export const gateTo = (path: string, { answers = false } = {}) => {
  const { opened, open } = closedGate()
  let isAnswered = false
  const gated = async (request: Request, init?: RequestInit) => {
    const isGated = new URL(request.url).pathname === path
    if (isGated && !answers) await opened
    const response = await fetch(request, init)
    isAnswered ||= isGated
    if (isGated) await opened
    return response
  }
  return { open, gated, isAnswered: () => isAnswered }
}

/** A store that keeps text, like the localStorage that tabs share. */
export const createStore = (given: Partial<Stored> = {}) => {
  const texts = new Map<string, string>(Object.entries(given).map(([name, value]) => [name, JSON.stringify(value)]))
  const store: Store = {
    load: name => JSON.parse(texts.get(name) ?? 'null'),
    save: (name, value) => {
      texts.set(name, JSON.stringify(value))
    }
  }
  return store
}

/** The same store, but its first `access` to the session waits until `open()` is called. */
export const slowTo = (store: Store, access: 'load' | 'save') => {
  const { opened, open } = closedGate()
  let isReached = false
  const wait = async (name: keyof Stored, now: typeof access) => {
    if (isReached || name !== 'session' || now !== access) return
    isReached = true
    await opened
  }
  const slow: Store = {
    load: async name => {
      await wait(name, 'load')
      return store.load(name)
    },
    save: async (name, value) => {
      await wait(name, 'save')
      await store.save(name, value)
    }
  }
  return { slow, open, isReached: () => isReached }
}

export const newViewer = async (app: App, client: Client) => {
  const { email } = await addUser(app)
  return client.signIn(email ?? '', password)
}

/** A session that an earlier visit has left. */
export const signedIn = async (t: Test, app: App, baseUrl: string) => {
  const store = createStore()
  return { store, user: await newViewer(app, clientOf(t, baseUrl, { store }).client) }
}

/** A report of a minute ago. */
export const kept = (user_id: number, content_id: number, given: Partial<KeptReport> = {}): KeptReport => ({
  kind: 'report',
  user_id,
  content_id,
  time: content_id * 10,
  observed: Date.now() - 60_000,
  ...given
})
export const historyOf = async (client: Client) => (await client.get('/history')).collection
export const secondsAgo = (timestamp: string | undefined) => (Date.now() - Date.parse(timestamp ?? '')) / 1000

export const change = async (store: Store, changes: Partial<Session>) =>
  store.save('session', { ...((await store.load('session')) as Session), ...changes })

/** What a call fails with. */
export const errorOf = async (calling: Promise<unknown>) => {
  const error = await calling.then(
    () => undefined,
    (error: unknown) => error
  )
  if (!(error instanceof ViewerError)) throw new Error(`There was no ViewerError, but ${error}`)
  return error
}
export const kindOf = async (calling: Promise<unknown>) => (await errorOf(calling)).kind

/** Gives this process globals of a browser until the test ends. */
export const asBrowser = (t: Test, has: Record<string, unknown>) => {
  for (const [name, value] of Object.entries(has)) {
    const own = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
    t.teardown(() => {
      if (own) Object.defineProperty(globalThis, name, own)
      else Reflect.deleteProperty(globalThis, name)
    })
  }
}

/** The Web Locks of a browser, with which tabs wait for each other. */
export const createLocks = () => {
  const turns = new Map<string, Promise<unknown>>()
  const request = (name: string, work: () => Promise<unknown>) => {
    const turn = Promise.resolve(turns.get(name)).then(work)
    turns.set(
      name,
      turn.catch(() => undefined)
    )
    return turn
  }
  return { request }
}

/** Milliseconds between two heartbeats, instead of 30 seconds. */
export const quickInterval = 40
export const withQuickHeartbeats = (t: Test) => {
  const { setInterval } = globalThis
  asBrowser(t, {
    setInterval: (work: () => void, wait: number, ...given: []) => setInterval(work, wait === 30_000 ? quickInterval : wait, ...given)
  })
}
