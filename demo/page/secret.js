import { walkIn } from './arrow-grid.js'
import { byId, h, icon } from './dom.js'
import { face } from './face.js'
import { goOnAs } from './household.js'
import { events, explain } from './viewer.js'
import { inMinutes } from './words.js'

/** @typedef {import('./household.js').Profile} Profile */
/** @typedef {'pin' | 'password'} Kind */

const dialog = /** @type {HTMLDialogElement} */ (byId('secret'))

/** @param {Kind} kind @param {unknown} trouble */
const wordsFor = (kind, trouble) => {
  const { kind: fault, status, retryAfter = 60 } = /** @type {{ kind?: string, status?: number, retryAfter?: number }} */ (trouble)
  if (fault === 'wrong-credentials') return kind === 'pin' ? 'The PIN is wrong.' : 'The password is wrong.'
  if (status === 429) return `Too many wrong attempts. Try again ${inMinutes(retryAfter)}.`
  return explain(trouble)
}

/** A keypad for remote controls and touch screens. @param {HTMLInputElement} field */
const keypad = field => {
  /** @param {string} label @param {Parameters<typeof h>[2]} text @param {() => string} typed */
  const button = (label, text, typed) =>
    h(
      'button',
      {
        type: 'button',
        class: 'digit',
        'aria-label': label,
        onclick: () => {
          field.value = typed().slice(0, field.maxLength)
        }
      },
      text
    )
  const digit = (/** @type {string} */ name) => button(name, name, () => field.value + name)
  return h(
    'div',
    { class: 'keypad', role: 'group', 'aria-label': 'Digits' },
    ...[...'123456789'].map(digit),
    button('Delete the last digit', icon('back'), () => field.value.slice(0, -1)),
    digit('0'),
    h('button', { type: 'submit', class: 'digit enter', 'aria-label': 'Continue' }, icon('forward'))
  )
}

/** @type {Record<Kind, { title: (name: string) => string, label: string, hint: string, input: object }>} */
const looks = {
  pin: {
    title: name => `Hello, ${name}`,
    label: 'PIN',
    hint: 'In the demo, Tom’s PIN is 4071.',
    // The digits are on the screen, so no keyboard needs to cover it.
    input: { inputmode: 'none', pattern: '[0-9]{4,8}', title: '4 to 8 digits', maxlength: 8, autocomplete: 'off', class: 'pin' }
  },
  password: {
    title: () => 'Ask a grown-up',
    label: 'Password of the account',
    hint: 'In the demo, it is demo-password.',
    input: { autocomplete: 'current-password', maxlength: 1000 }
  }
}

/** Asks for the PIN or password of a profile, and continues as it. @param {Profile} profile @param {Kind} kind */
export const askForSecret = (profile, kind) => {
  const { title, label, hint, input } = looks[kind]
  const field = h('input', { id: 'secret-field', type: 'password', required: true, ...input })
  const error = h('p', { class: 'error', role: 'alert' })
  const enter = async (/** @type {Event} */ event) => {
    event.preventDefault()
    error.textContent = ''
    dialog.setAttribute('aria-busy', 'true')
    try {
      await goOnAs(profile, { [kind]: field.value })
    } catch (trouble) {
      error.textContent = wordsFor(kind, trouble)
      field.value = ''
      field.focus()
    }
    dialog.removeAttribute('aria-busy')
  }
  dialog.replaceChildren(
    h(
      'form',
      { onsubmit: enter },
      h('div', { class: 'whom' }, face(profile.id), h('h2', { id: 'secret-title' }, title(profile.name))),
      kind === 'password' && h('p', { class: 'reason' }, `${profile.name}’s page needs the password.`),
      // For password managers, which look for a user name next to the password.
      kind === 'password' &&
        h('input', { class: 'unseen', type: 'email', autocomplete: 'username', tabindex: -1, 'aria-hidden': 'true', readonly: true }),
      h('label', {}, label, field),
      kind === 'pin' && keypad(field),
      error,
      h('p', { class: 'hint' }, hint),
      h(
        'div',
        { class: 'actions' },
        kind === 'password' && h('button', { type: 'submit', class: 'primary' }, 'Continue'),
        h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, 'Back')
      )
    )
  )
  dialog.showModal()
  field.focus()
}
walkIn(dialog)
events.addEventListener('ended', () => dialog.close())
