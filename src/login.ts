import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Data } from './data/index.js'
import type { UserDocument } from './data/users.js'
import { tooManyLogins, unauthenticated } from './errors.js'
import { hashPassword, isOutdated, slowness, verifyPassword } from './passwords.js'
import { Turns } from './turns.js'

/** No refusal comes sooner, in milliseconds: it hides whether a user was found, and of which kind the hash is. */
const refusalAfter = 250
/** Nor later for its own sake, so that it is no 503. */
const refusalUntil = 2000

/** A hash takes a core for 20 to 40 ms: half of the cores are left to the requests, and who waits gets a turn within a second. */
const cores = Math.ceil(availableParallelism() / 2)
const hashesWaiting = 24
/** A login asks the database for several things: few at once, so that those who are signed in never wait behind a crowd. */
const lookupsWaiting = 250

/** Gives the user of an e-mail and a password, or throws the answer of the catalogue. */
export const authenticatorOf = ({ users, loginAttempts }: Pick<Data, 'users' | 'loginAttempts'>) => {
  const hashes = new Turns(cores, hashesWaiting)
  const lookups = new Turns(2 * cores, lookupsWaiting)

  const lookUp = async (email: string, address: string) => {
    // Where nobody could look at the password, the questions are spared too.
    hashes.assertRoom()
    const user = await users.byEmail(email)
    return { user, attempt: await loginAttempts.begin(email, address) }
  }

  /** As long as the costliest hash takes that was met so far. */
  let pause = refusalAfter

  return async (email: string, password: string, address: string): Promise<UserDocument> => {
    const began = performance.now()
    const { user, attempt } = await lookups.take(() => lookUp(email, address))
    if (attempt.retryAfter !== undefined) throw tooManyLogins(attempt.retryAfter)

    try {
      const right = await hashes.take(() => verifyPassword(password, user?.password_hash))
      if (user?.password_hash && right && !user.disabled_at) {
        await attempt.forgive()
        if (isOutdated(user.password_hash)) await users.replaceHash(user._id, user.password_hash, await hashPassword(password))
        return user
      }
    } catch (error) {
      // What could not be decided is no failed login.
      await attempt.forgive().catch(() => undefined)
      throw error
    }
    pause = Math.max(pause, Math.min(refusalUntil, refusalAfter * slowness(user?.password_hash ?? '')))
    await sleep(Math.max(0, pause - (performance.now() - began)))
    throw unauthenticated()
  }
}
