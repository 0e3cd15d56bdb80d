import { byId, h } from './dom.js'
import { announce } from './notice.js'
import { emit, events, explain, thisDevice, viewer } from './viewer.js'

const dialog = /** @type {HTMLDialogElement} */ (byId('sign-in'))
const email = /** @type {HTMLInputElement} */ (byId('email'))
const password = /** @type {HTMLInputElement} */ (byId('password'))
const error = byId('sign-in-error')
const account = byId('account')

/** The password of the demo users. */
const demoPassword = 'demo-password'

/** @param {string} [reason] */
export const askToSignIn = (reason = 'The demo has two viewers, each with a history.') => {
  byId('sign-in-reason').textContent = reason
  error.textContent = ''
  dialog.showModal()
}

/** @param {string} address @param {string} secret */
export const signIn = async (address, secret = demoPassword) => {
  error.textContent = ''
  dialog.setAttribute('aria-busy', 'true')
  try {
    const { name } = await viewer.signIn(address, secret, { device: thisDevice })
    dialog.close()
    emit('session')
    announce(`Welcome, ${name}.`)
  } catch (trouble) {
    error.textContent = explain(trouble)
    if (!dialog.open) askToSignIn()
    error.textContent = explain(trouble)
  }
  dialog.removeAttribute('aria-busy')
}

const showAccount = async () => {
  const user = await viewer.user()
  account.replaceChildren(
    ...(user
      ? [
          h(
            'button',
            {
              type: 'button',
              class: 'me',
              'aria-label': `${user.name}: your account`,
              'aria-haspopup': 'dialog',
              onclick: () => emit('account')
            },
            h('span', { class: 'avatar', 'aria-hidden': 'true' }, user.name.charAt(0)),
            h('span', { class: 'who' }, user.name)
          )
        ]
      : [h('button', { type: 'button', class: 'primary', onclick: () => askToSignIn() }, 'Sign in')])
  )
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
events.addEventListener('session', showAccount)
events.addEventListener('ended', () =>
  askToSignIn('Your session has ended: it expired or was signed out elsewhere. Sign in again to continue. Your position is kept.')
)
showAccount()
