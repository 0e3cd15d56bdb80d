import { createClient } from '../../client/index.js'

/** @typedef {import('../../client/index.js').Schemas} Schemas */
/** @typedef {Schemas['Content']} Content */

/**
 * Connects the parts of the page: `session` (somebody signed in or out), `ended`, `household` (its profiles, or who of them watches), `settled`
 * (it is known who watches), `watched`, `saved`, `hidden`, `unhidden` (from the list), and what is to be opened: `account`, `who`, `manage`,
 * `television`, `approval`.
 */
export const events = new EventTarget()
/** @typedef {'session' | 'ended' | 'household' | 'settled' | 'watched' | 'saved' | 'hidden' | 'unhidden'} Happening */
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
