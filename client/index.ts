import { createCalls, createTransport, type Fetch } from './calls.js'
import { createClock } from './clock.js'
import { sessionEnded, ViewerError, wrongCredentials } from './errors.js'
import { createExclusively } from './exclusive.js'
import { createReports } from './reports.js'
import type { components } from './schema.js'
import { createSessionKeeper, sessionOf } from './session.js'
import { createMemory, type Store } from './store.js'

export type { Trouble } from './errors.js'
export type { KeptReport, Outcome, Report } from './reports.js'
export type { paths } from './schema.js'
export type { Session, User } from './session.js'
export type { Kept, Store } from './store.js'
export { ViewerError }

/** The shapes of the interface by name, for example `Schemas['Content']`. */
export type Schemas = components['schemas']

export interface ClientOptions {
  /** Address of the service, its BASE_PATH included. */
  baseUrl: string
  /** Where the session and the unsent reports outlive the page; without it they do not. */
  store?: Store
  /** The session cannot be renewed: ask for a new sign-in. */
  onSessionEnd?: (error: ViewerError) => void
  /** Milliseconds after which a call counts as not answered: 15,000 unless given. */
  timeout?: number
  fetch?: Fetch
}

/** Errors of who calls, told apart by what the app does about them. */
const refusedAs = (make: (cause: ViewerError) => ViewerError) => (error: unknown) => {
  throw error instanceof ViewerError && error.status === 401 ? make(error) : error
}

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
  const signed = createCalls(baseUrl, async request => {
    const token = await session.token()
    if (!token) return transport(request)
    const again = request.clone()
    const response = await send(request, token)
    if (response.status !== 401) return response
    const renewed = await session.tokenAfter(token)
    return renewed ? send(again, renewed) : response
  })
  const asSessionEnded = refusedAs(error => (session.hasEnded() ? sessionEnded(error) : error))
  const guarded = <Call extends (...given: never[]) => Promise<unknown>>(call: Call) =>
    ((...given) => call(...given).catch(asSessionEnded)) as Call

  const calls = {
    get: guarded(signed.get),
    post: guarded(signed.post),
    put: guarded(signed.put),
    delete: guarded(signed.delete)
  }
  const reports = createReports({
    store,
    clock,
    exclusively,
    reporter: session.reporter,
    // The browser sends it even if the page is closed meanwhile.
    post: body => calls.post('/history', { body, keepalive: true }),
    askTheTime: () => open.get('/health')
  })
  // What an earlier visit could not send.
  void reports.deliverAtOnce()

  return {
    ...calls,

    signIn: async (email: string, password: string) => {
      const signedIn = await open.post('/login', { body: { email, password } }).catch(refusedAs(wrongCredentials))
      await session.begin(sessionOf(signedIn))
      void reports.deliverAtOnce()
      return signedIn.user
    },
    /** Works offline too; the session then ends at the service with its refresh token. */
    signOut: async () => {
      await signed.post('/logout').catch(() => undefined)
      await session.leave()
    },
    /** Who is signed in. */
    user: session.user,

    /** The contents of a rail, by the `endpoint` that it has in a rail collection. */
    railContents: (endpoint: string, { page = 1, perPage = 20 } = {}) => {
      const query = new URLSearchParams(new URL(endpoint).search)
      query.set('page', String(page))
      query.set('perPage', String(perPage))
      // The token goes to the service alone, whatever host an endpoint names.
      return calls.get('/contents', { querySerializer: () => query.toString() })
    },

    /** Tells where the player is, or keeps it until that is possible. Never throws for want of a connection. */
    report: reports.report,
    /** How many reports are still to be sent. */
    unsent: reports.unsent,
    /** Sends them now: for apps whose platform has no `online` event. */
    sendReports: reports.deliverAtOnce,
    /** Ends timers and listeners; what was not sent stays in the store. */
    close: reports.close
  }
}
export type Client = ReturnType<typeof createClient>
