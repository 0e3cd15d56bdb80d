import { availableParallelism } from 'node:os'
import type { Settings } from '../config.js'
import type { Data } from '../database/data.js'
import { tooManyLogins, unauthenticated, unavailable } from '../errors.js'
import { answerTimeoutOf } from '../overload/deadlines.js'
import { LoginQueue, type Requester } from '../overload/login-queue.js'
import { hashPassword, isPasswordHash, isReplaceable, verifyPassword } from './passwords.js'
import { Refusals } from './refusal-times.js'
import { emailKey, type HashField, type UserDocument } from './users.js'

/** At most half of the cores, rounded up, and no more than the four threads of libuv. */
const hashesAtOnce = Math.min(4, Math.ceil(availableParallelism() / 2))
// How many hashes may wait: as many as can start within `longestHashWait` milliseconds, bounded by the two numbers after it.
const longestHashWait = 1800
const fewestHashesWaiting = 8
const mostHashesWaiting = 24

/** Only a few logins use the database at once, because each takes several operations, and signed-in viewers need connections, too. */
const lookupsAtOnce = 2 * hashesAtOnce
const lookupsWaiting = 250

// In milliseconds. A refusal comes at most `latestRefusal` after its login arrived, and at least `reserveForRefusal` before the
// request times out.
const latestRefusal = 2000
const reserveForRefusal = 250
/** A hash starts at least this many milliseconds before the deadline of its login. */
const reserveForHash = 500

interface Claimant {
  /** The key by which failures are counted: that of an e-mail, or of a profile's PIN. */
  account: string
  /** The hash to check against. */
  field: HashField
  find: () => Promise<UserDocument | null>
}

/** `verify` returns the user, or throws an `ErrorAnswer`. `hash` hashes a new password. */
const verifierOf = (
  { users, loginAttempts }: Pick<Data, 'users' | 'loginAttempts'>,
  settings: Settings,
  /** Called for users whose stored hash is invalid, or too expensive to check. */
  onBroken: (id: number) => void
) => {
  const timeout = answerTimeoutOf(settings)
  const refusals = new Refusals(hashesAtOnce, Math.min(latestRefusal, timeout - reserveForRefusal))
  const maxHashesWaiting = () =>
    Math.max(fewestHashesWaiting, Math.min(mostHashesWaiting, (longestHashWait * hashesAtOnce) / refusals.highestCost))
  const hashes = new LoginQueue(hashesAtOnce, maxHashesWaiting)
  // Lookups only time out if the database is slow, so this timeout is a 503, not a 429.
  const lookups = new LoginQueue(lookupsAtOnce, () => lookupsWaiting, unavailable)

  const lookUp = async ({ account, field, find }: Claimant, requester: Requester) => {
    // Refuses before querying the database if there is no room to check the password.
    hashes.assertRoom(requester)
    const [user, retryAfter] = await Promise.all([find(), loginAttempts.retryAfter(account, requester.address)])
    if (retryAfter !== undefined) throw tooManyLogins(retryAfter)
    const attempt = await loginAttempts.begin(account, requester.address)
    if (attempt.retryAfter !== undefined) throw tooManyLogins(attempt.retryAfter)
    return { user, hash: hashOf(user, field), attempt }
  }

  const hashOf = (user: UserDocument | null, field: HashField) => {
    const hash = user?.[field]
    if (!user || hash === undefined || isPasswordHash(hash)) return hash
    onBroken(user._id)
    return undefined
  }

  /** Returns the user if the password is right and the user enabled, with a new hash if the stored one should be replaced. */
  const check = async (user: UserDocument | null, hash: string | undefined, password: string) => {
    const isRight = await verifyPassword(password, hash)
    if (!user || !hash || !isRight || user.disabled_at) return undefined
    return { user, hash, newHash: isReplaceable(hash, password) ? await hashPassword(password) : undefined }
  }

  const requesterOf = (account: string, address: string, arrived: number) => ({
    address,
    account,
    deadline: arrived + timeout - reserveForHash
  })

  const verify = async (claimant: Claimant, password: string, address: string): Promise<UserDocument> => {
    const arrived = performance.now()
    const requester = requesterOf(claimant.account, address, arrived)
    const { user, hash, attempt } = await lookups.run(requester, () => lookUp(claimant, requester))

    return refusals.unlessRefused(arrived, hash, async () => {
      const checked = await hashes
        .run(requester, () => check(user, hash, password))
        .catch(async error => {
          // The password was not checked, so this is not a failed login.
          await attempt.forgive().catch(() => undefined)
          throw error
        })
      if (!checked) return undefined
      const { newHash } = checked
      await Promise.all([attempt.succeed(), newHash && users.replaceHash(checked.user._id, claimant.field, checked.hash, newHash)])
      return checked.user
    })
  }

  const hash = (account: string, password: string, address: string) =>
    hashes.run(requesterOf(account, address, performance.now()), () => hashPassword(password))

  return { verify, hash }
}

/** The name under which PINs are queued and wrong ones are counted. It cannot be an e-mail, because those are in lower case. */
const pinsOf = (id: number) => `PIN ${id}`

/** Checks of passwords and PINs. They share the login limits and one queue. Each returns the user, or throws an `ErrorAnswer`. */
export const passwordChecksOf = (data: Pick<Data, 'users' | 'loginAttempts'>, settings: Settings, onBroken: (id: number) => void) => {
  const { users } = data
  const { verify, hash } = verifierOf(data, settings, onBroken)
  return {
    authenticate: (email: string, password: string, address: string) =>
      verify({ account: emailKey(email), field: 'password_hash', find: () => users.byEmail(email) }, password, address),

    /** Confirms that a signed-in user knows the password. */
    confirmPassword: async (id: number, password: string, address: string) => {
      const user = await users.byId(id)
      // Failures are counted by e-mail, and a user without one cannot sign in.
      if (user?.email === undefined) throw unauthenticated()
      return verify({ account: emailKey(user.email), field: 'password_hash', find: async () => user }, password, address)
    },

    /** Hashes a user's new password, in the same queue. */
    hash: ({ email }: UserDocument, password: string, address: string) => hash(emailKey(email as string), password, address),

    /** Wrong PINs are limited like failed logins, but counted by profile. */
    confirmPin: (profile: UserDocument, pin: string, address: string) =>
      verify({ account: pinsOf(profile._id), field: 'pin_hash', find: async () => profile }, pin, address),

    hashPin: (account: number, pin: string, address: string) => hash(pinsOf(account), pin, address)
  }
}
export type PasswordChecks = ReturnType<typeof passwordChecksOf>
