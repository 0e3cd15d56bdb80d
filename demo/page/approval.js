import { byId, h } from './dom.js'
import { isLimited, whoWatches } from './household.js'
import { announce } from './notice.js'
import { askToSignIn } from './sign-in.js'
import { events, explain, viewer } from './viewer.js'
import { ago } from './words.js'

const dialog = /** @type {HTMLDialogElement} */ (byId('approval'))
const input = /** @type {HTMLInputElement} */ (byId('code'))
const waiting = byId('waiting')
const error = byId('approval-error')
const actions = byId('approval-actions')

/** Whether the page was opened at the address that the service gives to devices. */
const isAddressed = () => location.hash === '#device'

/** @param {() => Promise<unknown>} work */
const attempt = async work => {
  error.textContent = ''
  dialog.setAttribute('aria-busy', 'true')
  try {
    await work()
  } catch (trouble) {
    const { status } = /** @type {{ status?: number }} */ (trouble)
    error.textContent = status === 404 ? 'No device is waiting with this code. Check it, or get a new one on the device.' : explain(trouble)
  }
  dialog.removeAttribute('aria-busy')
}

/** @param {string} kind @param {string} text @param {() => void} [onclick] */
const action = (kind, text, onclick) => h('button', { type: onclick ? 'button' : 'submit', class: kind, onclick }, text)
const leave = () => action('quiet', 'Not now', () => dialog.close())

const askForCode = () => {
  waiting.replaceChildren()
  actions.replaceChildren(action('primary', 'Continue'), leave())
}

/** @param {string} code @param {boolean} isAllowed */
const decide = (code, isAllowed) =>
  attempt(async () => {
    await (isAllowed ? viewer.approveDevice(code) : viewer.denyDevice(code))
    dialog.close()
    announce(isAllowed ? 'The device is signed in as you within seconds.' : 'The device was refused.')
  })

const look = () =>
  attempt(async () => {
    const code = input.value
    const user = await viewer.user()
    const { device, created_at } = await viewer.deviceRequest(code)
    const allow = action('primary', `Allow it as ${user?.name}`, () => decide(code, true))
    waiting.replaceChildren(
      h('p', {}, h('strong', {}, device ?? 'A device without a name'), ` asked ${ago(created_at)}.`),
      h(
        'p',
        { class: 'reason' },
        'Only allow it if you see this code on a device in front of you. Anyone who has the device can use your account.'
      )
    )
    actions.replaceChildren(
      allow,
      action('quiet', 'Refuse', () => decide(code, false))
    )
    allow.focus()
  })

const open = async () => {
  if (!(await viewer.user())) return askToSignIn('Sign in to allow the device that shows the code.')
  if (isLimited(whoWatches())) return announce('Ask a grown-up: a profile with a limit cannot allow devices.', 'warning')
  input.value = new URLSearchParams(location.search).get('user_code') ?? ''
  error.textContent = ''
  askForCode()
  if (!dialog.open) dialog.showModal()
  if (input.value) await look()
}

byId('user-code').addEventListener('submit', event => {
  event.preventDefault()
  look()
})
input.addEventListener('input', askForCode)
dialog.addEventListener('close', () => {
  if (isAddressed()) history.replaceState(null, '', location.pathname)
})

const openIfAddressed = () => {
  if (isAddressed() && !dialog.open) open()
}
addEventListener('hashchange', openIfAddressed)
events.addEventListener('settled', openIfAddressed)
events.addEventListener('approval', open)
