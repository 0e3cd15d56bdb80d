import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Settings } from '../config.js'
import { type ApprovedDevice, codeLife, type Decision, pollStep } from '../data/device-codes.js'
import type { Data } from '../data/index.js'
import { isFirst } from '../data/profiles.js'
import { deviceRefused, orThrow, tooManyCodes, tooManyRequests, waitingDeviceNotFound } from '../errors.js'
import type { Viewer } from './tokens.js'
import { newUserCode, readUserCode, shownUserCode } from './user-codes.js'

/** Somebody who types a code. */
interface Caller {
  viewer: Viewer
  address: string
}

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
  const guess = async <Found>(text: string, { viewer, address }: Caller, find: (userHash: string) => Promise<Found | null | undefined>) => {
    const attempt = await codeAttempts.guess(viewer.account, address)
    if (attempt.retryAfter !== undefined) throw tooManyCodes(attempt.retryAfter)
    const code = readUserCode(text)
    const found = orThrow(code === undefined ? undefined : await find(userHashOf(code)), waitingDeviceNotFound)
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

  const decideBy = (decision: Decision) => (user_code: string, caller: Caller) => {
    const { id, account, sid } = caller.viewer
    const decider = { user_id: account, profile_id: id, sid }
    return guess(user_code, caller, async userHash => (await deviceCodes.decide(userHash, decider, decision)) || null)
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
        interval: pollStep
      }
    },

    /** The user and the new session, once the code is approved. */
    redeem: async (device_code: string) => {
      const code = await deviceCodes.ask(deviceHashOf(device_code), randomUUID())
      const answer = code?.answer ?? 'expired_token'
      if (answer !== 'approved') throw deviceRefused(answer)
      return begin(code as ApprovedDevice)
    },

    /** The device that waits with this code. Like the two below, counts an attempt, and throws if there is no such device. */
    findWaiting: (user_code: string, caller: Caller) => guess(user_code, caller, deviceCodes.find),
    approve: decideBy('approved'),
    deny: decideBy('access_denied')
  }
}
