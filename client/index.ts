import { createAccount } from './account.js'
import { createCalls, createTransport, type Fetch } from './calls.js'
import { createClock } from './clock.js'
import { createCopies } from './copies.js'
import { sessionEnded, ViewerError } from './errors.js'
import { createExclusively } from './exclusive.js'
import type { Keeper } from './keeper.js'
import { createPlaying } from './playing.js'
import { createProviderKeeper, type ProviderToken } from './provider-session.js'
import { createReports } from './reports.js'
import type { components } from './schema.js'
import { createSessionKeeper, sessionOf } from './session.js'
import { createMemory, type Store } from './store.js'

export type { CodeSignIn, ShownCode } from './code-sign-in.js'
export type { Copy } from './copies.js'
export type { Trouble } from './errors.js'
export type { User } from './keeper.js'
export type { KeptReport, RefusedReport, Report } from './kept-reports.js'
export type { Playing, PlayOptions } from './playing.js'
export type { Identity, ProviderToken } from './provider-session.js'
export type { Outcome } from './reports.js'
export type { paths } from './schema.js'
export type { Session } from './session.js'
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
  /** Resolves with a token, for services with an identity provider of their own. Without it, users sign in at the service. */
  token?: ProviderToken
  /** Called when the session cannot be renewed: ask the user to sign in again. */
  onSessionEnd?: (error: ViewerError) => void
  /** Milliseconds to wait for a response. Default 15,000. */
  timeout?: number
  fetch?: Fetch
}

const pathOf = (contentId: number) => ({ path: { contentId: String(contentId) } })
const hiddenPath = (contentId: number) => ({ params: pathOf(contentId) })

export const createClient = ({
  baseUrl,
  store = createMemory(),
  token: tokenOf,
  onSessionEnd = () => {},
  timeout = 15_000,
  fetch = globalThis.fetch
}: ClientOptions) => {
  const clock = createClock()
  const transport = createTransport(fetch, timeout, clock)
  const { exclusively, acrossTabs } = createExclusively(`viewer-client ${baseUrl}`)

  const open = createCalls(baseUrl, transport)
  const own = createSessionKeeper({
    store,
    exclusively,
    acrossTabs,
    refresh: refresh_token => open.post('/login/refresh', { body: { refresh_token } }),
    onEnd: onSessionEnd
  })
  const userOf = (token: string) => open.get('/me', { headers: { authorization: `Bearer ${token}` } })
  const session: Keeper = tokenOf ? createProviderKeeper({ store, tokenOf, userOf, onEnd: onSessionEnd }) : own

  const send = (request: Request, token: string) => {
    request.headers.set('authorization', `Bearer ${token}`)
    return transport(request)
  }
  const asSessionEnded = (error: unknown) => {
    throw error instanceof ViewerError && error.status === 401 && session.hasEnded() ? sessionEnded(error) : error
  }
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
  const playing = createPlaying(calls)
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

  const account = createAccount({
    open,
    calls,
    /** A wrong password is a 401 too, and must not be sent again with a new token. */
    once: createCalls(baseUrl, async request => {
      const token = await session.token()
      return token ? send(request, token) : transport(request)
    }),
    begin: async signedIn => {
      await own.begin(sessionOf(signedIn))
      void reports.deliverAtOnce()
    },
    leave: session.leave,
    forget: async () => {
      await reports.forget()
      await reports.dropRefused()
      await copies.dropCopy()
    }
  })

  return {
    ...calls,

    ...account,
    /** The signed-in user, as of the last sign-in or refresh. */
    user: session.user,

    /** The rows of a start page. What the service could not read just now is in `missing`. */
    home: (query: HomeOptions = {}) =>
      // The types of openapi-fetch lack what is always null.
      calls.get('/home', { params: { query } }) as Promise<Schemas['Home']>,

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

    /** Says that this device plays a content, and every 30 seconds that it plays on. Throws if too many devices of the account play. */
    play: playing.play,

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
    close: () => {
      reports.close()
      playing.close()
    }
  }
}
export type Client = ReturnType<typeof createClient>
