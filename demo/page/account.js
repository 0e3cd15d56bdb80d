import { byId, h } from './dom.js'
import { announce } from './notice.js'
import { emit, events, explain, viewer } from './viewer.js'
import { ago, lineOf } from './words.js'

/** @typedef {import('./viewer.js').Schemas['Session']} Session */

const dialog = /** @type {HTMLDialogElement} */ (byId('settings'))
const devices = byId('devices')
const endOthers = /** @type {HTMLButtonElement} */ (byId('end-others'))
const form = /** @type {HTMLFormElement} */ (byId('change-password'))
const error = byId('password-error')
/** @param {string} id */
const field = id => /** @type {HTMLInputElement} */ (byId(id))

/** Announces what was done, and shows the devices that are left. @param {string} text @param {() => Promise<unknown>} work */
const change = async (text, work) => {
  try {
    await work()
    announce(text)
    await showDevices()
    byId('devices-title').focus()
  } catch (trouble) {
    announce(explain(trouble), 'warning')
  }
}

/** @param {Session} session */
const line = ({ id, device, created_at, last_used_at, current }) => {
  const name = device ?? 'A device without a name'
  const signOut = () => change(`${name} is signed out.`, () => viewer.endSession(id))
  return h(
    'li',
    {},
    h(
      'span',
      {},
      h('span', { class: 'headline' }, name),
      h('span', { class: 'note' }, lineOf(current ? 'This device' : `last used ${ago(last_used_at)}`, `signed in ${ago(created_at)}`))
    ),
    !current && h('button', { type: 'button', class: 'quiet', 'aria-label': `Sign out ${name}`, onclick: signOut }, 'Sign out')
  )
}

const showDevices = async () => {
  const sessions = await viewer.sessions()
  devices.replaceChildren(...sessions.map(line))
  endOthers.hidden = sessions.length < 2
}

const open = async () => {
  form.reset()
  error.textContent = ''
  devices.replaceChildren(h('li', { class: 'skeleton line' }))
  field('of-user').value = (await viewer.user())?.email ?? ''
  dialog.showModal()
  byId('settings-title').focus()
  await showDevices().catch(trouble => {
    dialog.close()
    announce(explain(trouble), 'warning')
  })
}

const changePassword = async () => {
  error.textContent = ''
  try {
    await viewer.changePassword(field('old-password').value, field('new-password').value)
    form.reset()
    await change('The password is changed, and you are signed out everywhere else.', async () => {})
  } catch (trouble) {
    const { kind } = /** @type {{ kind?: string }} */ (trouble)
    error.textContent = kind === 'wrong-credentials' ? 'The current password is wrong.' : explain(trouble)
  }
}

endOthers.addEventListener('click', () => change('You are signed out everywhere else.', () => viewer.endOtherSessions()))
byId('add-device').addEventListener('click', () => {
  dialog.close()
  emit('approval')
})
byId('manage-profiles').addEventListener('click', () => {
  dialog.close()
  emit('manage')
})
byId('sign-out').addEventListener('click', async () => {
  dialog.close()
  await viewer.signOut()
  emit('session')
  announce('You are signed out.')
})
form.addEventListener('submit', event => {
  event.preventDefault()
  changePassword()
})
dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close())
events.addEventListener('account', open)
// Another tab or device may have ended the session.
events.addEventListener('ended', () => dialog.close())
