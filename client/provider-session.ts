import { sessionEnded, ViewerError } from './errors.js'
import type { Keeper, User } from './keeper.js'
import type { Store } from './store.js'

/** A user of an identity provider, and the name that the provider has for them. */
export interface Identity {
  subject: string
  user: User
}

/** Resolves with a token of the identity provider, or with null if nobody is signed in. After a 401, gets the refused token. */
export type ProviderToken = (refused?: string) => Promise<string | null | undefined>

interface Options {
  store: Store
  tokenOf: ProviderToken
  /** Asks the service who the user of a token is. */
  userOf: (token: string) => Promise<User>
  onEnd: (error: ViewerError) => void
}

/** The service has checked the token that this is taken from, or refuses it. */
const subjectOf = (token: string) => {
  try {
    const [, claims = ''] = token.split('.')
    const { iss, sub } = JSON.parse(atob(claims.replace(/-/g, '+').replace(/_/g, '/')))
    return `${iss} ${sub}`
  } catch {
    return ''
  }
}

/** Takes tokens from the app, which has them from its own identity provider. */
export const createProviderKeeper = ({ store, tokenOf, userOf, onEnd }: Options): Keeper => {
  let known: Identity | undefined
  let hasEnded = false
  let refusedToken: string | undefined
  let identifying: { subject: string; user: Promise<User> } | undefined
  let renewing: Promise<string | undefined> | undefined
  const loaded = (async () => {
    known = (await store.load('identity')) ?? undefined
  })()

  const learn = async (token: string) => {
    known = { subject: subjectOf(token), user: await userOf(token) }
    await store.save('identity', known)
    return known.user
  }
  /** All calls share one question. */
  const identify = async (token: string) => {
    await loaded
    const subject = subjectOf(token)
    if (known?.subject === subject) return known.user
    if (identifying?.subject !== subject) {
      known = undefined
      identifying = { subject, user: learn(token) }
    }
    return identifying.user.finally(() => {
      identifying = undefined
    })
  }

  const end = (token: string, cause?: unknown) => {
    refusedToken = token
    if (hasEnded) return
    hasEnded = true
    onEnd(sessionEnded(cause))
  }
  /** The token, if the service takes it. */
  const checked = async (token: string) => {
    try {
      await learn(token)
      hasEnded = false
      return token
    } catch (error) {
      if (!(error instanceof ViewerError && error.status === 401)) throw error
      end(token, error)
      return undefined
    }
  }
  const renew = async (refused: string) => {
    const token = await tokenOf(refused)
    if (token && token !== refused) return checked(token)
    end(refused)
    return undefined
  }

  const current = async () => {
    const token = await tokenOf()
    if (!token || token === refusedToken) return undefined
    return hasEnded ? checked(token) : token
  }
  const ofOwner = async (token: string | undefined, owner: number | undefined) =>
    token === undefined || owner === undefined || (await identify(token)).id === owner ? token : undefined

  return {
    leave: async () => {
      await loaded
      known = undefined
      hasEnded = false
      await store.save('identity', null)
    },
    user: async () => {
      const token = await current()
      return token === undefined ? undefined : identify(token)
    },
    reporter: async () => {
      await loaded
      // Without a connection, there may be no token.
      const token = await tokenOf().catch(() => undefined)
      return token ? identify(token).catch(() => undefined) : known?.user
    },
    hasEnded: () => hasEnded,
    token: async owner => ofOwner(await current(), owner),
    tokenAfter: async (refused, owner) => {
      renewing ??= renew(refused).finally(() => {
        renewing = undefined
      })
      return ofOwner(await renewing, owner)
    }
  }
}
