import { byId, h } from './dom.js'
import { announce } from './notice.js'
import { explain } from './viewer.js'

/** @typedef {{ id: number } | undefined} User */

const place = byId('unwatched')

/** @param {{ id: number }} user */
const keyOf = ({ id }) => `viewer.unwatched.${id}`

/** Whether this user hides what they have watched, on this device. @param {User} user */
export const hidesWatched = user => user !== undefined && localStorage.getItem(keyOf(user)) !== null

/** @param {{ id: number }} user @param {boolean} isHidden */
const remember = (user, isHidden) => (isHidden ? localStorage.setItem(keyOf(user), 'yes') : localStorage.removeItem(keyOf(user)))

/** Shows the switch, unless nobody is signed in. @param {User} user @param {() => Promise<void>} refresh */
export const showUnwatchedSwitch = (user, refresh) => {
  place.hidden = !user
  if (!user) return place.replaceChildren()
  const button = h('button', { type: 'button', class: 'quiet', role: 'switch', onclick: () => press() }, 'Hide what I have watched')
  const show = () => button.setAttribute('aria-checked', String(hidesWatched(user)))
  const press = async () => {
    const isHidden = !hidesWatched(user)
    remember(user, isHidden)
    button.disabled = true
    try {
      await refresh()
      announce(isHidden ? 'What you have watched is hidden.' : 'What you have watched is shown again.')
    } catch (error) {
      remember(user, !isHidden)
      announce(explain(error), 'warning')
    }
    show()
    button.disabled = false
    button.focus()
  }
  show()
  place.replaceChildren(button)
}
