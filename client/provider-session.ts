import { isForbidden, isUnauthorized, sessionEnded, signedOut, type ViewerError } from './errors.js'
import type { Keeper, User } from './keeper.js'
import type { Store } from './store.js'

/** The user on this device. `subject` is the user's id at the identity provider. */
export interface Identity {
  subject: string
  /** The id of the chosen profile. The first one by default. */
  profile?: number
  /** The chosen profile. */
  user: User
}

/**
 * Resolves with a token of the identity provider, or with null if nobody is signed in. After a 401, the client calls it with the refused
 * token, and it should resolve with another one.
 */
export type ProviderToken = (refused?: string) => Promise<string | null | undefined>

interface Options {
  store: Store
  tokenOf: ProviderToken
  /** Asks the service for the user of a token. */
  userOf: (token: string, profile: number | undefined) => Promise<User>
  onEnd: (error: ViewerError) => void
}

export interface ProviderKeeper extends Keeper {
  /** Continues as another profile of the user. */
  useProfile: (id: number) => Promise<User>
}

/** The token is not verified here, because the service does that. */
const subjectOf = (token: string) => {
  try {
    const [, claims = ''] = token.split('.')
    const { iss, sub } = JSON.parse(atob(claims.replace(/-/g, '+').replace(/_/g, '/')))
    return `${iss} ${sub}`
  } catch {
    return ''
  }
}

/** Uses tokens from the app, which gets them from its identity provider. */
export const createProviderKeeper = ({ store, tokenOf, userOf, onEnd }: Options): ProviderKeeper => {
  let known: Identity | undefined
  let signOuts = 0
  let hasEnded = false
  let refusedToken: string | undefined
  const identifying = new Map<string, Promise<User>>()
  let renewing: Promise<string | undefined> | undefined
  const loaded = (async () => {
    known = (await store.load('identity')) ?? undefined
  })()

  const profileOf = (token: string) => (known?.subject === subjectOf(token) ? known.profile : undefined)
  const learn = async (token: string, chosen?: number) => {
    const before = known
    const began = signOuts
    const profile = chosen ?? profileOf(token)
    const user = await userOf(token, profile)
    if (signOuts !== began) {
      if (chosen !== undefined) throw signedOut()
      return user
    }
    // Keep what was learned meanwhile, such as the choice of another profile, because it is newer.
    if (chosen === undefined && known !== before) return user
    known = { subject: subjectOf(token), ...(profile !== undefined && { profile }), user }
    await store.save('identity', known)
    return user
  }
  /** Concurrent calls with tokens of the same subject share one request. */
  const identify = async (token: string) => {
    await loaded
    const subject = subjectOf(token)
    if (known?.subject === subject) return known.user
    const asked = identifying.get(subject)
    if (asked) return asked
    known = undefined
    const user = learn(token).finally(() => identifying.delete(subject))
    identifying.set(subject, user)
    return user
  }

  const end = (token: string, cause?: unknown) => {
    refusedToken = token
    if (hasEnded) return
    hasEnded = true
    onEnd(sessionEnded(cause))
  }
  /** The token, if the service accepts it. */
  const checked = async (token: string) => {
    try {
      await learn(token)
      hasEnded = false
      return token
    } catch (error) {
      if (!isUnauthorized(error)) throw error
      end(token, error)
      return undefined
    }
  }
  /** Begins without the chosen profile if it no longer exists. */
  const begun = async (token: string) => {
    const before = known
    return checked(token).catch(error => {
      if (!isForbidden(error)) throw error
      if (known === before) known = undefined
      return checked(token)
    })
  }
  const renew = async (refused: string) => {
    // If the refusal arrives late, the app may already have got a new token.
    const latest = await tokenOf()
    const token = latest && latest !== refused ? latest : await tokenOf(refused)
    if (token && token !== refused) return checked(token)
    end(refused)
    return undefined
  }
  const renewedAfter = (refused: string) => {
    renewing ??= renew(refused).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  const current = async () => {
    await loaded
    const token = await tokenOf()
    if (!token || token === refusedToken) return undefined
    return hasEnded ? begun(token) : token
  }
  const ofOwner = async (token: string | undefined, owner: number | undefined) =>
    token === undefined || owner === undefined || (await identify(token)).id === owner ? token : undefined

  return {
    profileOf,
    useProfile: async id => {
      const token = await current()
      if (token === undefined) throw hasEnded ? sessionEnded() : signedOut()
      return learn(token, id).catch(async error => {
        if (!isUnauthorized(error)) throw error
        const renewed = await renewedAfter(token)
        if (renewed === undefined) throw sessionEnded(error)
        return learn(renewed, id)
      })
    },
    leave: async () => {
      await loaded
      signOuts += 1
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
    tokenAfter: async (refused, owner) => ofOwner(await renewedAfter(refused), owner)
  }
}
