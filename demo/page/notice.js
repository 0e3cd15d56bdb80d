import { byId } from './dom.js'
import { viewer } from './viewer.js'

const notice = byId('notice')
const said = byId('said')
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/**
 * @param {string} text
 * @param {'info' | 'warning'} kind
 */
const show = (text, kind) => {
  clearTimeout(timer)
  // Showing it again puts it above a sheet that was opened meanwhile.
  notice.hidePopover()
  notice.textContent = text
  notice.className = `notice ${kind}`
  if (text) notice.showPopover()
  if (said.textContent !== text) said.textContent = text
}

/**
 * Shows a message for a few seconds.
 * @param {string} text
 * @param {'info' | 'warning'} [kind]
 */
export const announce = (text, kind = 'info') => {
  show(text, kind)
  timer = setTimeout(showConnection, kind === 'warning' ? 8000 : 3500)
}

/** Shows a permanent notice while there is no connection. */
const showConnection = async () => {
  if (navigator.onLine) return show('', 'info')
  const unsent = await viewer.unsent()
  const kept = unsent === 0 ? 'What you watch and like is' : unsent === 1 ? 'One change is' : `${unsent} changes are`
  show(`You are offline. ${kept} kept and sent when you are back online.`, 'info')
}

addEventListener('offline', showConnection)
addEventListener('online', () => announce('You are online again.'))
showConnection()
