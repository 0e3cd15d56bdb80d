import { byId, h } from './dom.js'
import { announce } from './notice.js'
import { qrCode } from './qr-code.js'
import { emit, events, explain, viewer } from './viewer.js'

const dialog = /** @type {HTMLDialogElement} */ (byId('television'))
const place = byId('television-code')
const state = byId('television-state')
const actions = byId('television-actions')
/** Aborted when the screen is left. */
let leaving = new AbortController()

const leave = () => h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, 'Cancel')
const again = () => h('button', { type: 'button', class: 'primary', onclick: () => signInWithCode() }, 'Get a new code')

/** @param {import('../../client/index.js').ShownCode} code */
const show = ({ user_code, verification_uri, verification_uri_complete, expires_in }) => {
  const { host, pathname, hash } = new URL(verification_uri)
  place.replaceChildren(
    qrCode(verification_uri_complete),
    h(
      'ol',
      { class: 'steps' },
      h('li', {}, 'Scan the QR code, or open ', h('a', { href: verification_uri_complete, target: '_blank' }, `${host}${pathname}${hash}`)),
      h(
        'li',
        {},
        'Enter ',
        h('strong', { class: 'code', 'aria-hidden': 'true' }, user_code),
        // Letter by letter, because screen readers would read it as a word.
        h('span', { class: 'unseen' }, [...user_code].join(' '))
      ),
      h('li', {}, 'Allow this device')
    )
  )
  state.textContent = `Waiting for you. The code is valid for ${Math.round(expires_in / 60)} minutes.`
}

/** Signs in as a television does. */
const signInWithCode = async () => {
  leaving.abort()
  leaving = new AbortController()
  const { signal } = leaving
  place.replaceChildren()
  state.textContent = 'Getting a code.'
  actions.replaceChildren(leave())
  if (!dialog.open) dialog.showModal()
  byId('television-title').focus()
  try {
    await viewer.signInWithCode({ device: 'Television of the demo', onCode: show, signal })
    dialog.close()
    emit('session')
    announce('You are signed in.')
  } catch (error) {
    if (signal.aborted) return
    place.replaceChildren()
    state.textContent = explain(error)
    actions.replaceChildren(again(), leave())
  }
}

dialog.addEventListener('close', () => leaving.abort())
events.addEventListener('television', signInWithCode)
