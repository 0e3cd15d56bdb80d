import { isUnauthorized, sessionEnded, type ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { Keeper, User } from './keeper.js'
import type { components } from './schema.js'
import type { Store } from './store.js'

export type SignedIn = components['schemas']['SignedIn']

export interface Session {
  access_token: string
  refresh_token: string
  /** When the last tenth of the token's lifetime starts. Milliseconds, by the clock of this device. */
  renew_at: number
  user: User
}

export const sessionOf = ({ access_token, refresh_token, expires_in, user }: SignedIn): Session => ({
  access_token,
  refresh_token,
  renew_at: Date.now() + expires_in * 900,
  user
})

/** When to look for the tokens of another tab. Without Web Locks, the tab that refreshed first may not have stored them yet. */
const checksAfter = [0, 300, 1000]
const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

interface Options {
  store: Store
  exclusively: Exclusively
  acrossTabs: boolean
  refresh: (refresh_token: string) => Promise<SignedIn>
  onEnd: (error: ViewerError) => void
}

export interface SessionKeeper extends Keeper {
  begin: (session: Session) => Promise<void>
  /** Replaces the owner's session. Resolves with the old one, or with undefined if the owner is no longer signed in. */
  replace: (owner: number | undefined, session: Session) => Promise<Session | undefined>
}

/** How many sessions are remembered for calls that began with an earlier token. */
const mostRecent = 8

/** Keeps the session of the signed-in user and a valid token. */
export const createSessionKeeper = ({ store, exclusively, acrossTabs, refresh, onEnd }: Options): SessionKeeper => {
  let current: Session | undefined
  let lastUser: User | undefined
  let hasEnded = false
  let renewing: Promise<void> | undefined
  let recent: Session[] = []

  const take = (session: Session | undefined) => {
    current = session
    if (!session) return
    lastUser = session.user
    recent = [session, ...recent].slice(0, mostRecent)
  }
  const loaded = (async () => take((await store.load('session')) ?? undefined))()

  const end = (cause?: unknown) => {
    current = undefined
    hasEnded = true
    onEnd(sessionEnded(cause))
  }

  /** Whether the session has been renewed, ended or replaced, here or in another tab. */
  const hasChanged = async (mine: Session) => {
    const stored = await store.load('session')
    if (current !== mine) return true
    if (stored?.refresh_token === mine.refresh_token) return false
    if (stored?.user.id === mine.user.id) take(stored)
    else end()
    return true
  }

  /** The same after a refused refresh: another tab may have refreshed first, and be about to store its tokens. */
  const hasChangedSoon = async (mine: Session) => {
    for (const wait of acrossTabs ? [0] : checksAfter) {
      await sleep(wait)
      if (await hasChanged(mine)) return true
    }
    return false
  }

  const renewInTurn = async (mine: Session) => {
    if (await hasChanged(mine)) return
    try {
      const renewed = sessionOf(await refresh(mine.refresh_token))
      if (await hasChanged(mine)) return
      take(renewed)
      await store.save('session', renewed)
    } catch (error) {
      // Only a 401 ends the session.
      if (!isUnauthorized(error)) throw error
      if (await hasChangedSoon(mine)) return
      end(error)
      await store.save('session', null)
    }
  }

  /** All calls share one refresh. */
  const renew = (mine: Session) => {
    renewing ??= exclusively('session', () => renewInTurn(mine)).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  const tokenOf = (owner: number | undefined) => (owner === undefined || owner === current?.user.id ? current?.access_token : undefined)

  return {
    begin: async (session: Session) => {
      await loaded
      hasEnded = false
      take(session)
      await store.save('session', session)
    },

    // Takes turns with renewals, so that no tab overwrites the new session with a renewed one.
    replace: (owner, session) =>
      exclusively('session', async () => {
        if (current && current.user.id === owner) await hasChanged(current)
        const before = current
        if (!before || before.user.id !== owner) return undefined
        await store.save('session', session)
        // The user has signed out, or another one has signed in.
        if (current !== before) return undefined
        take(session)
        return before
      }),

    leave: async () => {
      take(undefined)
      lastUser = undefined
      hasEnded = false
      await exclusively('session', async () => {
        // A sign-in does not wait for its turn, and may have stored a session since.
        if (!current) await store.save('session', null)
      })
    },

    user: async () => {
      await loaded
      return current?.user
    },

    reporter: async () => {
      await loaded
      return lastUser
    },

    hasEnded: () => hasEnded,

    token: async owner => {
      await loaded
      if (current && Date.now() >= current.renew_at) {
        await renew(current).catch((error: ViewerError) => {
          // The current token may still be valid. If it is refused, the client refreshes again.
          if (error.kind === 'no-answer') throw error
        })
      }
      return tokenOf(owner)
    },

    tokenAfter: async (refused, owner = recent.find(({ access_token }) => access_token === refused)?.user.id) => {
      if (current?.access_token === refused) await renew(current)
      return tokenOf(owner)
    }
  }
}
