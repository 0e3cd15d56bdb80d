import { createClient } from '../../client/index.js'

/** @typedef {import('../../client/index.js').Schemas} Schemas */
/** @typedef {Schemas['Content']} Content */

/** What the parts of the page tell each other: `session` (somebody came or went), `ended`, `watched`, `saved`. */
export const events = new EventTarget()
/** @param {'session' | 'ended' | 'watched' | 'saved'} type */
export const tell = type => events.dispatchEvent(new Event(type))

export const viewer = createClient({
  baseUrl: new URL('../..', import.meta.url).href,
  store: {
    load: name => JSON.parse(localStorage.getItem(`viewer.${name}`) ?? 'null'),
    save: (name, value) => localStorage.setItem(`viewer.${name}`, JSON.stringify(value))
  },
  onSessionEnd: () => {
    tell('ended')
    tell('session')
  }
})

/**
 * What went wrong and what to do about it, for people.
 * @param {unknown} error
 */
export const explain = error => {
  const { message, advice = 'Load the page again.' } = /** @type {Error & { advice?: string }} */ (error)
  return navigator.onLine
    ? `${message.replace(/\.$/, '')}. ${advice}`
    : 'You are offline, and this needs a connection. What you watch is kept, and sent when you are back.'
}
