import { sessionEnded, ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { components } from './schema.js'
import type { Store } from './store.js'

type SignedIn = components['schemas']['SignedIn']
export type User = SignedIn['user']

export interface Session {
  access_token: string
  refresh_token: string
  /** On the clock of this device, in milliseconds: in the last tenth of the token's life. */
  renew_at: number
  user: User
}

export const sessionOf = ({ access_token, refresh_token, expires_in, user }: SignedIn): Session => ({
  access_token,
  refresh_token,
  renew_at: Date.now() + expires_in * 900,
  user
})

/** Without Web Locks, the tab that won the refresh may still be storing what it got. */
const looks = [0, 300, 1000]
const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

interface Options {
  store: Store
  exclusively: Exclusively
  acrossTabs: boolean
  refresh: (refresh_token: string) => Promise<SignedIn>
  onEnd: (error: ViewerError) => void
}

/** Who is signed in, with a token that is good for the next call. */
export const createSessionKeeper = ({ store, exclusively, acrossTabs, refresh, onEnd }: Options) => {
  let current: Session | undefined
  let lastUser: User | undefined
  let hasEnded = false
  let renewing: Promise<void> | undefined

  const take = (session: Session | undefined) => {
    current = session
    if (session) lastUser = session.user
  }
  const loaded = (async () => take((await store.load('session')) ?? undefined))()

  const end = (cause?: unknown) => {
    current = undefined
    hasEnded = true
    onEnd(sessionEnded(cause))
  }

  /** Whether another tab has renewed the session, left it or put another user's in its place. */
  const changedElsewhere = async (mine: Session) => {
    const stored = await store.load('session')
    if (stored?.refresh_token === mine.refresh_token) return false
    if (stored?.user.id === mine.user.id) take(stored)
    else end()
    return true
  }

  const renewInTurn = async (mine: Session) => {
    if (await changedElsewhere(mine)) return
    try {
      const renewed = sessionOf(await refresh(mine.refresh_token))
      // Who signed out meanwhile stays so.
      if (current !== mine) return
      take(renewed)
      await store.save('session', renewed)
    } catch (error) {
      // Without a clear refusal the session may live on.
      if (!(error instanceof ViewerError && error.status === 401)) throw error
      for (const wait of acrossTabs ? [0] : looks) {
        await sleep(wait)
        if (await changedElsewhere(mine)) return
      }
      end(error)
      await store.save('session', null)
    }
  }

  /** One refresh at a time, however many calls ask for it. */
  const renew = (mine: Session) => {
    renewing ??= exclusively('session', () => renewInTurn(mine)).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  return {
    begin: async (session: Session) => {
      await loaded
      hasEnded = false
      take(session)
      await store.save('session', session)
    },

    leave: async () => {
      take(undefined)
      lastUser = undefined
      hasEnded = false
      await store.save('session', null)
    },

    user: async () => {
      await loaded
      return current?.user
    },

    /** Whose progress it is that is reported, even while a new sign-in is asked for. */
    reporter: async () => {
      await loaded
      return lastUser
    },

    hasEnded: () => hasEnded,

    /** A token for the next call, renewed ahead of its end. */
    token: async () => {
      await loaded
      if (current && Date.now() >= current.renew_at) {
        await renew(current).catch((error: ViewerError) => {
          // The token in hand may do for a while yet; where it does not, its refusal brings the refresh again.
          if (error.kind === 'no-answer') throw error
        })
      }
      return current?.access_token
    },

    /** A token in the place of one that was refused, unless the session has ended. */
    tokenAfter: async (refused: string) => {
      if (current?.access_token === refused) await renew(current)
      return current?.access_token
    }
  }
}
export type SessionKeeper = ReturnType<typeof createSessionKeeper>
