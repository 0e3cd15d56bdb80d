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
  // Shown anew, it stands above a sheet that was opened meanwhile.
  notice.hidePopover()
  notice.textContent = text
  notice.className = `notice ${kind}`
  if (text) notice.showPopover()
  if (said.textContent !== text) said.textContent = text
}

/**
 * Says something for a while.
 * @param {string} text
 * @param {'info' | 'warning'} [kind]
 */
export const announce = (text, kind = 'info') => {
  show(text, kind)
  timer = setTimeout(showConnection, kind === 'warning' ? 8000 : 3500)
}

/** Without a connection that is said for as long as it lasts. */
const showConnection = async () => {
  if (navigator.onLine) return show('', 'info')
  const unsent = await viewer.unsent()
  const kept = unsent === 0 ? 'What you watch is kept' : `Your place in ${unsent === 1 ? 'one title' : `${unsent} titles`} is kept`
  show(`You are offline. ${kept}, and sent when you are back.`, 'info')
}

addEventListener('offline', showConnection)
addEventListener('online', () => announce('You are online again.'))
showConnection()
