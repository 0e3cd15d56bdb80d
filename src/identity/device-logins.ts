import { createHmac, hash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { pollStep } from '../../schemas/device.js'
import type { Settings } from '../config.js'
import type { Data } from '../database/data.js'
import { deviceRefused, orThrow, resourceNotFound, tooManyCodes, tooManyRequests } from '../errors.js'
import { type ApprovedDevice, codeLife, type Decision } from './device-codes.js'
import { profileIfCurrent } from './profiles.js'
import { epochOf } from './session-document.js'
import type { Viewer } from './tokens.js'

/** The user who types a code. */
interface Caller {
  viewer: Viewer
  address: string
}

/** The sign-in of devices without a keyboard, as in RFC 8628. */
export const deviceLoginsOf = ({ deviceCodes, codeAttempts, sessions, profiles }: Data, { DEVICE_URL, JWT_SECRET }: Settings) => {
  const deviceHashOf = (code: string) => hash('sha256', code, 'base64url')
  // Keyed, because someone with a copy of the database could otherwise try all codes in minutes.
  const userHashOf = (code: string) => createHmac('sha256', `user codes ${JWT_SECRET}`).update(code).digest('base64url')

  const newCodes = () => {
    const [device_code, user_code] = [randomBytes(32).toString('base64url'), newUserCode()]
    return { device_code, user_code, deviceHash: deviceHashOf(device_code), userHash: userHashOf(user_code) }
  }

  /** Counts the attempt before looking up the code, so that concurrent guesses cannot exceed the limit. */
  const guess = async <Found>(text: string, { viewer, address }: Caller, find: (userHash: string) => Promise<Found | null | undefined>) => {
    const attempt = await codeAttempts.guess(viewer.account, address)
    if (attempt.retryAfter !== undefined) throw tooManyCodes(attempt.retryAfter)
    const code = readUserCode(text)
    const found = orThrow(code === undefined ? undefined : await find(userHashOf(code)), resourceNotFound)
    await attempt.succeed()
    return found
  }

  /** The approval counts if the session that gave it is alive, has logged out, or had to make room for this one. */
  const begin = async ({ account_id, user_id, sid, epoch, device }: ApprovedDevice) => {
    const wanted = { account: account_id, id: user_id, sid }
    const confirm = profileIfCurrent({ profiles, sessions }, wanted, () => sessions.hasLoggedOut(account_id, sid))
    const begun = await sessions.begin({ _id: account_id, session_epoch: epoch }, device, confirm, { user_id })
    return orThrow(begun, () => deviceRefused('access_denied'))
  }

  const decideBy = (decision: Decision) => async (user_code: string, caller: Caller) => {
    const { id, account, sid } = caller.viewer
    const living = await sessions.livingOrThrow(account, sid as string)
    const decider = { account_id: account, user_id: id, sid: sid as string, epoch: epochOf(living.account) }
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

    /** The device waiting with this code. Like the two below, counts an attempt, and throws if there is no such device. */
    findWaiting: (user_code: string, caller: Caller) => guess(user_code, caller, deviceCodes.find),
    approve: decideBy('approved'),
    deny: decideBy('access_denied')
  }
}

/** No vowels, so that no words appear, and no Y, which is one in many languages (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

const written = new RegExp(`^[${letters}]{${length}}$`, 'i')

const newUserCode = () => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

const shownUserCode = (code: string) => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`

/** The code in what a user typed, ignoring case, dashes and spaces. */
const readUserCode = (text: string) => {
  const bare = text.replace(/[\s\p{Dash_Punctuation}]/gu, '')
  return written.test(bare) ? bare.toUpperCase() : undefined
}
