import { createAccount } from './account.js'
import { createCalls, createTransport, type Fetch, identityHeaders } from './calls.js'
import { createClock } from './clock.js'
import { createCopies } from './copies.js'
import { createDiscovery } from './discovery.js'
import { ViewerError } from './errors.js'
import { createExclusively } from './exclusive.js'
import type { Keeper } from './keeper.js'
import { createLive, type LiveOptions } from './live.js'
import { createOffline } from './offline.js'
import { createOutbox } from './outbox.js'
import { createPlaying } from './playing.js'
import { createPlays } from './plays.js'
import { createProfiles } from './profiles.js'
import { createProviderKeeper, type ProviderToken } from './provider-session.js'
import type { components } from './schema.js'
import { createSeen } from './seen.js'
import { createSessionKeeper, type SignedIn, sessionOf } from './session.js'
import { createMemory, type Store } from './store.js'
import { createTaste } from './taste.js'
import type { Report } from './unsent.js'
import { createUserCalls } from './user-calls.js'

export type { CodeSignIn, ShownCode } from './code-sign-in.js'
export type { Copy } from './copies.js'
export type { HomeOptions, HomeRow } from './discovery.js'
export type { Trouble } from './errors.js'
export type { User } from './keeper.js'
export type { LiveOptions } from './live.js'
export type { Outcome } from './outbox.js'
export type { Playing, PlayOptions } from './playing.js'
export type { PlaysOptions, YearOptions } from './plays.js'
export type { Identity, ProviderToken } from './provider-session.js'
export type { paths } from './schema.js'
export type { Session } from './session.js'
export type { Store, Stored } from './store.js'
export type { Kept, KeptPreferences, KeptRating, KeptReport, PreferencesChange, Rating, Refused, Report } from './unsent.js'
export { ViewerError }

/** The shapes of the interface by name, for example `Schemas['Content']`. */
export type Schemas = components['schemas']

export interface ClientOptions {
  /** URL of the service, including its BASE_PATH. */
  baseUrl: string
  /** Keeps the session, unsent data, and the copies of lists beyond the life of the page. Without it, they are lost. */
  store?: Store
  /** Without a connection, reads resolve with their last response, with `isStale`. Requires a `store`. */
  offline?: boolean
  /** Resolves with a token, for services with an identity provider. Without it, users sign in at the service. */
  token?: ProviderToken
  /** Called when the session cannot be renewed: ask the user to sign in again. */
  onSessionEnd?: (error: ViewerError) => void
  /** Milliseconds to wait for a response. Default 15,000. */
  timeout?: number
  fetch?: Fetch
}

export const createClient = ({
  baseUrl,
  store: given,
  offline: isOffline = false,
  token: tokenOf,
  onSessionEnd = () => {},
  timeout = 15_000,
  fetch = globalThis.fetch
}: ClientOptions) => {
  const store = given ?? createMemory()
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
  const userOf = (token: string, profile?: number) => open.get('/me', { headers: identityHeaders(token, profile) })
  const provider = tokenOf && createProviderKeeper({ store, tokenOf, userOf, onEnd: onSessionEnd })
  const session: Keeper = provider ?? own

  const userCalls = createUserCalls(baseUrl, transport, session)
  const { calls, callsOf, onceOf } = userCalls

  const playing = createPlaying(calls)
  const outbox = createOutbox({
    store,
    clock,
    exclusively,
    reporter: session.reporter,
    callsOf,
    onSent: sent => offline?.note(sent),
    askTheTime: () => open.get('/health')
  })
  const offline =
    isOffline && given
      ? createOffline({
          store,
          signedInAs: provider ? 'identity' : 'session',
          exclusively,
          clock,
          // Without a connection, an identity provider may have no token.
          viewer: () => session.user().catch(() => (session.hasEnded() ? undefined : session.reporter())),
          userCalls,
          unsentOf: outbox.unsentOf
        })
      : undefined
  const shown = offline?.calls ?? calls
  const seen = createSeen({
    user: session.user,
    send: (owner, content_ids) => onceOf(owner).post('/recommendations/seen', { body: { content_ids }, keepalive: true })
  })
  const copies = createCopies({
    store,
    exclusively,
    owner: session.reporter,
    changes: (owner, since) =>
      callsOf(owner).get('/changes', { params: { query: { perPage: 500, ...(since !== undefined && { since }) } } })
  })
  // A stream lasts longer than any timeout.
  const { answerTo } = createUserCalls(baseUrl, request => fetch(request), session)
  const live = createLive({
    owner: session.reporter,
    read: async (id, signal) => {
      await outbox.deliverAtOnce()
      return copies.read(id, signal)
    },
    take: copies.take,
    open: (owner, since, signal) =>
      answerTo(new Request(`${baseUrl.replace(/\/$/, '')}/changes/stream?since=${encodeURIComponent(since)}`, { signal }), owner)
  })
  /** Ends background work, which would continue in the name of the next user. */
  const stop = () => {
    playing.close()
    live.stop()
  }
  // Sends what an earlier visit could not send.
  void outbox.deliverAtOnce()

  const forget = async (id: number) => {
    await outbox.forget(id)
    await copies.forget(id)
    await offline?.drop(id)
  }
  const begin = async (signedIn: SignedIn) => {
    stop()
    await seen.during(() => own.begin(sessionOf(signedIn)))
    void outbox.deliverAtOnce()
  }
  const leave = async () => {
    stop()
    await seen.during(session.leave)
    await offline?.drop()
  }

  return {
    ...shown,

    ...createAccount({ open, userCalls, get: shown.get, begin, leave, stop, forget }),
    ...createProfiles({
      open,
      userCalls,
      get: shown.get,
      own,
      provider,
      exclusively: (name, work) => seen.during(() => exclusively(name, work)),
      leave,
      deliver: outbox.deliverAtOnce,
      stop,
      forget
    }),
    ...createDiscovery(shown),
    ...createTaste(shown, outbox),
    ...createPlays(shown),

    /** The signed-in user, as of the last sign-in or refresh. */
    user: session.user,

    /**
     * Reports that this device is playing a content item, and again every 30 seconds. Throws if too many devices of the account are
     * playing.
     */
    play: playing.play,

    /** Reports which titles are on the screen. Sent together after some seconds. Never throws; what cannot be sent is dropped. */
    reportSeen: seen.report,
    /** Reports the position of the player, or keeps the report until it can be sent. Does not throw if there is no connection. */
    report: (report: Report) => outbox.put({ kind: 'report', ...report }),
    /** The number of reports, ratings and preferences that have not been sent yet. */
    unsent: outbox.count,
    /** Sends them now, for platforms without an `online` event. */
    sendUnsent: outbox.deliverAtOnce,
    /** Those that the service has refused: the newest of each content item, until they are dropped. */
    refused: outbox.refused,
    dropRefused: outbox.dropRefused,

    /** Sends unsent data, brings the local copy of the user's lists up to date, and resolves with it. With `live`, keeps it up to date. */
    sync: async (options?: LiveOptions) => {
      if (options?.live) return live.sync(options)
      await outbox.deliverAtOnce()
      return copies.sync()
    },
    /** The copy as of the last `sync()`. Works offline. */
    copy: copies.copy,
    dropCopy: () => {
      live.stop()
      return copies.dropCopy()
    },
    /** Stops timers and listeners. Unsent reports stay in the store. Titles seen so far are sent. */
    close: () => {
      outbox.close()
      seen.close()
      stop()
    }
  }
}
export type Client = ReturnType<typeof createClient>
