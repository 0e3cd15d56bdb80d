import { createCalls, createTransport, type Fetch } from './calls.js'
import { createClock } from './clock.js'
import { createCopies } from './copies.js'
import { sessionEnded, ViewerError, wrongCredentials } from './errors.js'
import { createExclusively } from './exclusive.js'
import { createReports } from './reports.js'
import type { components } from './schema.js'
import { createSessionKeeper, sessionOf } from './session.js'
import { createMemory, type Store } from './store.js'

export type { Copy } from './copies.js'
export type { Trouble } from './errors.js'
export type { KeptReport, RefusedReport, Report } from './kept-reports.js'
export type { Outcome } from './reports.js'
export type { paths } from './schema.js'
export type { Session, User } from './session.js'
export type { Kept, Store } from './store.js'
export { ViewerError }

/** The shapes of the interface by name, for example `Schemas['Content']`. */
export type Schemas = components['schemas']

/** A row of a start page. Its `kind` tells what its items are. */
export type HomeRow = Schemas['HomeRow']

export interface HomeOptions {
  /** Elements in a row, 1 to 30. */
  items?: number
  /** The number of rails, 0 to 30. */
  rails?: number
  /** The `mname` of the collection that has the rails. Without it, those of all collections. */
  collection?: string
}

export interface ClientOptions {
  /** URL of the service, including its BASE_PATH. */
  baseUrl: string
  /** Keeps the session, unsent reports and the copies of lists beyond the life of the page. Without it, they are lost. */
  store?: Store
  /** Called when the session cannot be renewed: ask the user to sign in again. */
  onSessionEnd?: (error: ViewerError) => void
  /** Milliseconds to wait for a response. Default 15,000. */
  timeout?: number
  fetch?: Fetch
}

/** Replaces a 401 with an error that tells the app what to do about it. */
const refusedAs = (make: (cause: ViewerError) => ViewerError) => (error: unknown) => {
  throw error instanceof ViewerError && error.status === 401 ? make(error) : error
}

const pathOf = (contentId: number) => ({ path: { contentId: String(contentId) } })
const hiddenPath = (contentId: number) => ({ params: pathOf(contentId) })

export const createClient = ({
  baseUrl,
  store = createMemory(),
  onSessionEnd = () => {},
  timeout = 15_000,
  fetch = globalThis.fetch
}: ClientOptions) => {
  const clock = createClock()
  const transport = createTransport(fetch, timeout, clock)
  const { exclusively, acrossTabs } = createExclusively(`viewer-client ${baseUrl}`)

  const open = createCalls(baseUrl, transport)
  const session = createSessionKeeper({
    store,
    exclusively,
    acrossTabs,
    refresh: refresh_token => open.post('/login/refresh', { body: { refresh_token } }),
    onEnd: onSessionEnd
  })

  const send = (request: Request, token: string) => {
    request.headers.set('authorization', `Bearer ${token}`)
    return transport(request)
  }
  /** For calls with a password. A wrong one is a 401 too, and must not be sent again with a new token. */
  const once = createCalls(baseUrl, async request => {
    const token = await session.token()
    return token ? send(request, token) : transport(request)
  })
  const asSessionEnded = refusedAs(error => (session.hasEnded() ? sessionEnded(error) : error))
  const guarded = <Call extends (...given: never[]) => Promise<unknown>>(call: Call) =>
    ((...given) => call(...given).catch(asSessionEnded)) as Call

  /** Calls with the token of the signed-in user. If an owner is named, nothing is sent in the name of another user. */
  const callsOf = (owner?: number) => {
    const calls = createCalls(baseUrl, async request => {
      const token = await session.token(owner)
      if (!token) return transport(request)
      const again = request.clone()
      const response = await send(request, token)
      if (response.status !== 401) return response
      const renewed = await session.tokenAfter(token, owner)
      return renewed ? send(again, renewed) : response
    })
    return { get: guarded(calls.get), post: guarded(calls.post), put: guarded(calls.put), delete: guarded(calls.delete) }
  }
  const calls = callsOf()
  const reports = createReports({
    store,
    clock,
    exclusively,
    reporter: session.reporter,
    // With keepalive, the browser sends it even if the page is closed.
    post: (owner, body) => callsOf(owner).post('/history', { body, keepalive: true }),
    postMany: (owner, reports) => callsOf(owner).post('/history/batch', { body: { reports }, keepalive: true }),
    askTheTime: () => open.get('/health')
  })
  const copies = createCopies({
    store,
    exclusively,
    owner: session.reporter,
    changes: (owner, since) =>
      callsOf(owner).get('/changes', { params: { query: { perPage: 500, ...(since !== undefined && { since }) } } })
  })
  // Sends what an earlier visit could not send.
  void reports.deliverAtOnce()

  const asWrongPassword = async (error: unknown) => {
    if (!(error instanceof ViewerError && error.status === 401)) throw error
    // The password is wrong, unless the session has ended.
    await calls.get('/me')
    throw wrongCredentials(error)
  }

  return {
    ...calls,

    /** `device` is the name of this device in the list of sessions. */
    signIn: async (email: string, password: string, { device }: { device?: string } = {}) => {
      const body = { email, password, ...(device !== undefined && { device }) }
      const signedIn = await open.post('/login', { body }).catch(refusedAs(wrongCredentials))
      await session.begin(sessionOf(signedIn))
      void reports.deliverAtOnce()
      return signedIn.user
    },
    /** Also works offline. The service then ends the session when its refresh token expires. */
    signOut: async () => {
      await calls.post('/logout').catch(() => undefined)
      await session.leave()
    },
    /** The signed-in user, as of the last sign-in or refresh. */
    user: session.user,
    /** The signed-in user, as the service knows them. */
    me: () => calls.get('/me'),
    /** Ends all other sessions of the user. */
    changePassword: async (password: string, new_password: string) => {
      await once.put('/me/password', { body: { password, new_password } }).catch(asWrongPassword)
    },
    /** What the service stores of the user. */
    exportMe: () => calls.get('/me/export'),
    /** Erases the user, with everything that the service and this client store of them, and signs out. */
    eraseMe: async (password: string) => {
      await once.delete('/me', { body: { password } }).catch(asWrongPassword)
      await reports.forget()
      await reports.dropRefused()
      await copies.dropCopy()
      await session.leave()
    },

    /** Where the user is signed in, the session used last first. */
    sessions: () => calls.get('/sessions'),
    endSession: (id: string) => calls.delete('/sessions/{sessionId}', { params: { path: { sessionId: id } } }),
    endOtherSessions: () => calls.delete('/sessions', { params: { query: { others: true } } }),

    /** The rows of a start page. What the service could not read just now is in `missing`. */
    home: (query: HomeOptions = {}) => calls.get('/home', { params: { query } }),

    /** The contents of a rail, by its `endpoint`. */
    railContents: (endpoint: string, { page = 1, perPage = 20 } = {}) => {
      const query = new URLSearchParams(new URL(endpoint).search)
      query.set('page', String(page))
      query.set('perPage', String(perPage))
      // Only the query is used, so the token is never sent to another host.
      return calls.get('/contents', { querySerializer: () => query.toString() })
    },

    /** Titles like that of a content, such as the show of an episode. */
    similar: (contentId: number, { perPage = 20 } = {}) =>
      calls.get('/contents/{contentId}/similar', { params: { ...pathOf(contentId), query: { perPage } } }),

    /** What is on now and next, on these channels or on all of them. */
    scheduleNow: (...channel: string[]) => calls.get('/schedule/now', { params: { query: channel.length > 0 ? { channel } : {} } }),

    /** Takes the title of a content, such as the show of an episode, out of what is proposed to the user. */
    hide: (contentId: number) => calls.put('/hidden/{contentId}', hiddenPath(contentId)),
    unhide: (contentId: number) => calls.delete('/hidden/{contentId}', hiddenPath(contentId)),
    /** The titles that the user has hidden, the newest first. */
    hidden: ({ page = 1, perPage = 20 } = {}) => calls.get('/hidden', { params: { query: { page, perPage } } }),

    /** Reports the position of the player, or keeps the report until it can be sent. Does not throw if there is no connection. */
    report: reports.report,
    /** The number of reports that are not sent yet. */
    unsent: reports.unsent,
    /** Sends kept reports now, for platforms without an `online` event. */
    sendReports: reports.deliverAtOnce,
    /** The reports that the service has refused: the newest of each content item, until they are dropped. */
    refused: reports.refused,
    dropRefused: reports.dropRefused,

    /** Sends kept reports, brings the local copy of the user's lists up to date, and resolves with it. */
    sync: async () => {
      await reports.deliverAtOnce()
      return copies.sync()
    },
    /** The copy as the last `sync()` left it. Works offline. */
    copy: copies.copy,
    dropCopy: copies.dropCopy,
    /** Stops timers and listeners. Unsent reports stay in the store. */
    close: reports.close
  }
}
export type Client = ReturnType<typeof createClient>
