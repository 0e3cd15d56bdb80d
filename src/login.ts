import { setTimeout as sleep } from 'node:timers/promises'
import type { Data } from './data/index.js'
import type { UserDocument } from './data/users.js'
import { tooManyLogins, tooManyRequests, unauthenticated } from './errors.js'
import { hashPassword, isOutdated, verifyPassword } from './passwords.js'
import { QueueFull } from './turns.js'

/** No refusal comes sooner: it hides whether a user was found, and of which kind the hash is. */
const refusalAfter = 250

/** The user of an e-mail and a password, or the answer of the catalogue. */
export const authenticate = async (
  { users, loginAttempts }: Data,
  email: string,
  password: string,
  address: string
): Promise<UserDocument> => {
  const earliest = sleep(refusalAfter)
  const attempt = await loginAttempts.begin(email, address)
  if (attempt.retryAfter !== undefined) throw tooManyLogins(attempt.retryAfter)

  try {
    const user = await users.byEmail(email)
    const right = await verifyPassword(password, user?.password_hash)
    if (user?.password_hash && right && !user.disabled_at) {
      await attempt.forgive()
      if (isOutdated(user.password_hash)) await users.replaceHash(user._id, user.password_hash, await hashPassword(password))
      return user
    }
  } catch (error) {
    // What could not be decided is no failed login.
    await attempt.forgive().catch(() => undefined)
    throw error instanceof QueueFull ? tooManyRequests() : error
  }
  await earliest
  throw unauthenticated()
}
