import { byId } from './dom.js'
import { announce } from './notice.js'
import { emit, events, explain, thisDevice, viewer } from './viewer.js'

const dialog = /** @type {HTMLDialogElement} */ (byId('sign-in'))
const email = /** @type {HTMLInputElement} */ (byId('email'))
const password = /** @type {HTMLInputElement} */ (byId('password'))
const error = byId('sign-in-error')

const demoPassword = 'demo-password'

/** @param {string} [reason] */
export const askToSignIn = (reason = 'The demo has two accounts. Everyone in them has a history.') => {
  byId('sign-in-reason').textContent = reason
  error.textContent = ''
  dialog.showModal()
}

/** @param {string} address @param {string} secret */
export const signIn = async (address, secret = demoPassword) => {
  error.textContent = ''
  dialog.setAttribute('aria-busy', 'true')
  try {
    await viewer.signIn(address, secret, { device: thisDevice })
    dialog.close()
    emit('session')
    announce('You are signed in.')
  } catch (trouble) {
    error.textContent = explain(trouble)
    if (!dialog.open) askToSignIn()
    error.textContent = explain(trouble)
  }
  dialog.removeAttribute('aria-busy')
}

for (const button of dialog.querySelectorAll('[data-email]'))
  button.addEventListener('click', () => signIn(button.getAttribute('data-email') ?? ''))
dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close())
byId('with-code').addEventListener('click', () => {
  dialog.close()
  emit('television')
})
byId('credentials').addEventListener('submit', event => {
  event.preventDefault()
  signIn(email.value, password.value)
})
events.addEventListener('ended', () =>
  askToSignIn('Your session has ended: it expired or was signed out elsewhere. Sign in again to continue. Your position is kept.')
)
