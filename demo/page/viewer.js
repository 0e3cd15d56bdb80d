import { createClient } from '../../client/index.js'

/** @typedef {import('../../client/index.js').Schemas} Schemas */
/** @typedef {Schemas['Content']} Content */

/**
 * The events by which the parts of the page tell each other what has happened:
 * - `session`: a user has signed in or out, or the session has ended
 * - `ended`: the session has ended on its own. `session` follows
 * - `household`: the profiles of the account have changed, or another profile was chosen
 * - `settled`: the profile is now known
 * - `watched`: the history has changed
 * - `saved`: the watchlist has changed
 * - `rated`: a title was liked or disliked
 * - `hidden`: a title was hidden or unhidden on its card
 * - `unhidden`: a title was removed from the list of hidden titles
 * - `elsewhere`: another window or device of the user has changed something
 *
 * The others ask a part of the page to open:
 * - `account`: the account and its devices
 * - `who`: the choice of a profile
 * - `manage`: the profiles, to change them
 * - `television`: the sign-in with a code
 * - `approval`: the approval of a device that shows a code
 */
export const events = new EventTarget()
/** @typedef {'session' | 'ended' | 'household' | 'settled' | 'watched' | 'saved' | 'rated' | 'hidden' | 'unhidden' | 'elsewhere'} Happening */
/** @param {Happening | 'account' | 'who' | 'manage' | 'television' | 'approval'} type */
export const emit = type => events.dispatchEvent(new Event(type))

export const viewer = createClient({
  baseUrl: new URL('../..', import.meta.url).href,
  store: {
    load: name => JSON.parse(localStorage.getItem(`viewer.${name}`) ?? 'null'),
    save: (name, value) => localStorage.setItem(`viewer.${name}`, JSON.stringify(value))
  },
  onSessionEnd: () => {
    emit('ended')
    emit('session')
  }
})

const [browser = 'Browser'] = /Firefox|Edg|OPR|Chrome|Safari/.exec(navigator.userAgent) ?? []
const [system = 'some system'] = /Android|iPhone|iPad|Windows|Macintosh|CrOS|Linux/.exec(navigator.userAgent) ?? []
/** The name of this device in the list of sessions. */
export const thisDevice = `${browser} on ${system}`

/**
 * Describes an error and what to do about it.
 * @param {unknown} error
 */
export const explain = error => {
  const { message, advice = 'Load the page again.' } = /** @type {Error & { advice?: string }} */ (error)
  return navigator.onLine
    ? `${message.replace(/\.$/, '')}. ${advice}`
    : 'You are offline, and this needs a connection. Your progress is kept and sent when you are back online.'
}
