import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Settings } from '../config.js'
import { type ApprovedDevice, codeLife, firstInterval } from '../data/device-codes.js'
import type { Data } from '../data/index.js'
import { isFirst } from '../data/profiles.js'
import { deviceRefused, orNotFound, tooManyCodes, tooManyRequests } from '../errors.js'
import type { Viewer } from './tokens.js'
import { newUserCode, readUserCode, shownUserCode } from './user-codes.js'

interface Decider {
  viewer: Viewer
  address: string
}

const deciderOf = ({ viewer: { id, account, sid } }: Decider) => ({ user_id: account, profile_id: id, sid })

/** The sign-in of devices without a keyboard, as in RFC 8628. */
export const deviceLoginsOf = ({ deviceCodes, codeAttempts, sessions, profiles }: Data, { DEVICE_URL, JWT_SECRET }: Settings) => {
  const deviceHashOf = (code: string) => createHash('sha256').update(code).digest('base64url')
  // Without a key, somebody with a copy of the database could try all codes in minutes.
  const userHashOf = (code: string) => createHmac('sha256', `user codes ${JWT_SECRET}`).update(code).digest('base64url')

  const newCodes = () => {
    const [device_code, user_code] = [randomBytes(32).toString('base64url'), newUserCode()]
    return { device_code, user_code, deviceHash: deviceHashOf(device_code), userHash: userHashOf(user_code) }
  }

  /** Counts the attempt before it looks for the code, so that concurrent guesses cannot exceed the limit. */
  const guess = async <Found>(
    text: string,
    { viewer, address }: Decider,
    find: (userHash: string) => Promise<Found | null | undefined>
  ) => {
    const attempt = await codeAttempts.guess(viewer.account, address)
    if (attempt.retryAfter !== undefined) throw tooManyCodes(attempt.retryAfter)
    const code = readUserCode(text)
    const found = orNotFound(code === undefined ? undefined : await find(userHashOf(code)))
    await attempt.succeed()
    return found
  }

  /**
   * Begins the session before it looks at the approval. A request that ends all sessions revokes the approvals before it looks at the
   * sessions, so neither misses the other.
   */
  const begin = async ({ _id, user_id, profile_id = user_id, device }: ApprovedDevice) => {
    const session = await sessions.begin(user_id, device, { profile_id })
    const [all, isKept] = await Promise.all([profiles.list(user_id), deviceCodes.isKept(_id)])
    const user = all.find(profile => profile._id === profile_id)
    if (user && all.some(isFirst) && isKept) return { user, session }
    await sessions.end(user_id, session.sid)
    throw deviceRefused('access_denied')
  }

  return {
    issue: async (device: string | null, address: string) => {
      const retryAfter = await codeAttempts.issue(address)
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      const { device_code, user_code } = await deviceCodes.add(device, newCodes)
      const shown = shownUserCode(user_code)
      const complete = new URL(DEVICE_URL)
      complete.searchParams.set('user_code', shown)
      return {
        device_code,
        user_code: shown,
        verification_uri: DEVICE_URL,
        verification_uri_complete: complete.href,
        expires_in: codeLife / 1000,
        interval: firstInterval
      }
    },

    /** The user and the new session, once the code is approved. */
    redeem: async (device_code: string) => {
      const code = await deviceCodes.ask(deviceHashOf(device_code), randomUUID())
      const answer = code?.answer ?? 'expired_token'
      if (answer !== 'approved') throw deviceRefused(answer)
      return begin(code as ApprovedDevice)
    },

    find: (user_code: string, decider: Decider) => guess(user_code, decider, deviceCodes.find),

    decide: async (user_code: string, decider: Decider, approve: boolean) =>
      guess(
        user_code,
        decider,
        async userHash => (await deviceCodes.decide(userHash, deciderOf(decider), approve ? 'approved' : 'access_denied')) || null
      )
  }
}
