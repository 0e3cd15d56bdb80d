import { availableParallelism } from 'node:os'
import type { Settings } from '../config.js'
import type { Data } from '../data/index.js'
import { emailKey, type UserDocument } from '../data/users.js'
import { tooManyLogins, unavailable } from '../errors.js'
import { type Caller, FairTurns } from '../overload/fair-turns.js'
import { patienceOf } from '../overload/waiting.js'
import { isPasswordHash } from './password-hash.js'
import { hashPassword, isReplaceable, verifyPassword } from './passwords.js'
import { Refusals } from './refusals.js'

/** Half of the cores are left to the requests, and libuv has four threads. */
const hashesAtOnce = Math.min(4, Math.ceil(availableParallelism() / 2))
/** So many hashes may wait as get their turn in 1.8 s, within these bounds. */
const turnWithin = 1800
const [fewestWaiting, mostWaiting] = [8, 24]

/** A login asks the database for several things: few at once, so that those who are signed in never wait behind a crowd. */
const lookupsAtOnce = 2 * hashesAtOnce
const lookupsWaiting = 250

/** Milliseconds after which no refusal comes, and what it leaves of the time that a login may take. */
const latestRefusal = 2000
const leftByRefusal = 250
/** What is left of it when a hash begins, at least. */
const leftByQueue = 500

/** Gives the user of an e-mail and a password, or throws the answer of the catalogue. */
export const authenticatorOf = (
  { users, loginAttempts }: Pick<Data, 'users' | 'loginAttempts'>,
  settings: Settings,
  /** Told of users whose stored hash is none, or costs too much to be checked. */
  onBroken: (id: number) => void
) => {
  const patience = patienceOf(settings)
  const refusals = new Refusals(hashesAtOnce, Math.min(latestRefusal, patience - leftByRefusal))
  const mayWait = () => Math.max(fewestWaiting, Math.min(mostWaiting, (turnWithin * hashesAtOnce) / refusals.highestCost))
  const hashes = new FairTurns(hashesAtOnce, mayWait)
  // Where these stand still, the database does.
  const lookups = new FairTurns(lookupsAtOnce, () => lookupsWaiting, unavailable)

  const lookUp = async (email: string, caller: Caller) => {
    // Where nobody could look at the password, the database is not asked either.
    hashes.assertRoom(caller)
    const [user, retryAfter] = await Promise.all([users.byEmail(email), loginAttempts.retryAfter(email, caller.address)])
    if (retryAfter !== undefined) throw tooManyLogins(retryAfter)
    const attempt = await loginAttempts.begin(email, caller.address)
    if (attempt.retryAfter !== undefined) throw tooManyLogins(attempt.retryAfter)
    return { user, hash: hashOf(user), attempt }
  }

  const hashOf = (user: UserDocument | null) => {
    const hash = user?.password_hash
    if (!user || hash === undefined || isPasswordHash(hash)) return hash
    onBroken(user._id)
    return undefined
  }

  /** The user whose password it is, with a new hash of it where the stored one should give way. */
  const check = async (user: UserDocument | null, hash: string | undefined, password: string) => {
    const isRight = await verifyPassword(password, hash)
    if (!user || !hash || !isRight || user.disabled_at) return undefined
    return { user, hash, newHash: isReplaceable(hash, password) ? await hashPassword(password) : undefined }
  }

  return async (email: string, password: string, address: string): Promise<UserDocument> => {
    const arrived = performance.now()
    const caller = { address, account: emailKey(email), until: arrived + patience - leftByQueue }
    const { user, hash, attempt } = await lookups.take(caller, () => lookUp(email, caller))

    return refusals.unlessRefused(arrived, hash, async () => {
      const checked = await hashes
        .take(caller, () => check(user, hash, password))
        .catch(async error => {
          // What could not be decided is no failed login.
          await attempt.forgive().catch(() => undefined)
          throw error
        })
      if (!checked) return undefined
      const { newHash } = checked
      await Promise.all([attempt.succeed(), newHash && users.replaceHash(checked.user._id, checked.hash, newHash)])
      return checked.user
    })
  }
}
