import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Data } from './data/index.js'
import type { UserDocument } from './data/users.js'
import { tooManyLogins, unauthenticated } from './errors.js'
import { hashPassword, isOutdated, verifyPassword } from './passwords.js'
import { Turns } from './turns.js'

/** No refusal comes sooner: it hides whether a user was found, and of which kind the hash is. */
const refusalAfter = 250

/** A hash takes a core for some 40 ms: half of the cores are left to the requests, and the queue is short. */
const cores = Math.ceil(availableParallelism() / 2)
const hashes = new Turns(cores, 8)
/** A login asks the database for several things: few at once, so that the requests of those who are signed in never wait behind a crowd. */
const lookups = new Turns(2 * cores, 250)

const lookUp = async ({ users, loginAttempts }: Data, email: string, address: string) => {
  // Where nobody could look at the password, the questions are spared too.
  hashes.assertRoom()
  const user = await users.byEmail(email)
  return { user, attempt: await loginAttempts.begin(email, address) }
}

/** The user of an e-mail and a password, or the answer of the catalogue. */
export const authenticate = async (data: Data, email: string, password: string, address: string): Promise<UserDocument> => {
  const earliest = sleep(refusalAfter)
  const { user, attempt } = await lookups.take(() => lookUp(data, email, address))
  if (attempt.retryAfter !== undefined) throw tooManyLogins(attempt.retryAfter)

  try {
    const right = await hashes.take(() => verifyPassword(password, user?.password_hash))
    if (user?.password_hash && right && !user.disabled_at) {
      await attempt.forgive()
      if (isOutdated(user.password_hash)) await data.users.replaceHash(user._id, user.password_hash, await hashPassword(password))
      return user
    }
  } catch (error) {
    // What could not be decided is no failed login.
    await attempt.forgive().catch(() => undefined)
    throw error
  }
  await earliest
  throw unauthenticated()
}
