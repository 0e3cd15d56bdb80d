import { walkIn } from './arrow-grid.js'
import { byId, h, icon } from './dom.js'
import { face } from './face.js'
import { everybody, goOnAs, isLimited, keepChoice, loadHousehold, secretOf, takeSwitchedTo, whoWatches } from './household.js'
import { announce } from './notice.js'
import { editProfile } from './profile-editor.js'
import { askForSecret } from './secret.js'
import { emit, events, explain, viewer } from './viewer.js'
import { limitOf } from './words.js'

/** @typedef {import('./household.js').Profile} Profile */

const dialog = /** @type {HTMLDialogElement} */ (byId('who'))
const mostProfiles = 8

/**
 * What the dialog is for:
 * - `ask`: no profile has been chosen yet, so the dialog cannot be closed without a choice
 * - `switch`: a profile is in use, and can be kept
 * - `manage`: to change profiles
 * - `manage first`: to change profiles before the choice of `ask`
 * @typedef {'ask' | 'switch' | 'manage' | 'manage first'} Mode
 */
/** @type {Mode} */
let mode = 'switch'
const mustAnswer = () => mode === 'ask' || mode === 'manage first'
const isManaging = () => mode === 'manage' || mode === 'manage first'

// A profile must still be chosen after profiles were changed.
/** @returns {Mode} */
const choosing = () => (mustAnswer() ? 'ask' : 'switch')
/** @returns {Mode} */
const managing = () => (mustAnswer() ? 'manage first' : 'manage')

/** Closes the dialog. Without this, it would open again until a profile is chosen. */
const leave = () => {
  mode = 'switch'
  dialog.close()
}

/** @param {Profile} profile @param {unknown} error */
const refused = async (profile, error) => {
  const { status } = /** @type {{ status?: number }} */ (error)
  await loadHousehold().catch(() => undefined)
  draw()
  focusProfile(profile.id)
  announce(status === 404 ? `${profile.name} was deleted meanwhile.` : explain(error), 'warning')
}

/** @param {Profile} profile */
const choose = async profile => {
  const isCurrent = (await viewer.user())?.id === profile.id
  const secret = isCurrent && !mustAnswer() ? undefined : secretOf(profile)
  if (secret) return askForSecret(profile, secret)
  if (!isCurrent) return goOnAs(profile).catch(error => refused(profile, error))
  keepChoice()
  leave()
  emit('settled')
}

/** @param {Profile} profile */
const noteOf = ({ id, max_age, has_pin }) => {
  if (isManaging()) return 'Change'
  if (id === whoWatches()?.id && mode === 'switch') return 'Watching now'
  if (has_pin) return 'With a PIN'
  return max_age === null ? '' : limitOf(max_age)
}

/** @param {Profile} profile */
const tile = profile =>
  h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: 'profile',
        'data-profile': profile.id,
        'aria-current': profile.id === whoWatches()?.id && !mustAnswer() && 'true',
        onclick: () => (isManaging() ? edit(profile) : choose(profile))
      },
      face(profile.id),
      h('span', { class: 'profile-name' }, profile.name),
      h('span', { class: 'note' }, profile.has_pin && !isManaging() ? icon('lock') : null, noteOf(profile))
    )
  )

const addTile = () =>
  h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'profile add', onclick: () => edit(undefined) },
      h('span', { class: 'face' }, icon('add')),
      h('span', { class: 'profile-name' }, 'Add a profile')
    )
  )

/** @param {string} text @param {() => void} onclick */
const action = (text, onclick) => h('button', { type: 'button', class: 'quiet', onclick }, text)

/** @param {Mode} next */
const turnTo = next => {
  mode = next
  draw()
  byId('who-title').focus()
}
const signOut = async () => {
  leave()
  await viewer.signOut()
  emit('session')
  announce('You are signed out.')
}

const actionsOf = () => {
  if (isManaging()) return [action('Done', () => (mustAnswer() || everybody().length > 1 ? turnTo(choosing()) : dialog.close()))]
  if (isLimited(whoWatches())) return [action(`Back to ${whoWatches()?.name}`, () => dialog.close())]
  return [
    action('Manage profiles', () => turnTo(managing())),
    mode === 'ask' ? action('Sign out', signOut) : action('Back', () => dialog.close())
  ]
}

const draw = () =>
  dialog.replaceChildren(
    h(
      'div',
      { class: 'stage' },
      h('h2', { id: 'who-title', tabindex: -1 }, isManaging() ? 'Manage profiles' : 'Who is watching?'),
      h('ul', { class: 'profiles' }, ...everybody().map(tile), isManaging() && everybody().length < mostProfiles && addTile()),
      h('div', { class: 'actions' }, ...actionsOf())
    )
  )

/** @param {number | undefined} id */
const focusProfile = id => {
  const tile = /** @type {HTMLElement | null} */ (dialog.querySelector(`[data-profile="${id}"]`))
  const first = /** @type {HTMLElement | null} */ (dialog.querySelector('.profile'))
  ;(tile ?? first)?.focus()
}

/** @param {Profile | undefined} profile */
const edit = profile =>
  editProfile(profile, async (said, id) => {
    const limit = whoWatches()?.max_age
    await loadHousehold()
    // The page still shows what the old limit allows.
    if (whoWatches()?.max_age !== limit) return location.reload()
    draw()
    focusProfile(id)
    announce(said)
  })

/** @param {Mode} next */
const openTo = next => {
  mode = next
  draw()
  dialog.closedBy = mustAnswer() ? 'none' : 'closerequest'
  if (!dialog.open) dialog.showModal()
  focusProfile(whoWatches()?.id)
}
const openLoaded = async (/** @type {() => Mode} */ next) => {
  try {
    await loadHousehold()
    openTo(next())
  } catch (error) {
    announce(explain(error), 'warning')
  }
}

const settle = async () => {
  // Without a connection, the page continues with the last profile.
  const isAsked = await loadHousehold().catch(() => false)
  if (isAsked) return openTo('ask')
  leave()
  const name = takeSwitchedTo()
  if (name) {
    announce(`Hello, ${name}.`)
    byId('main').focus()
  }
  emit('settled')
}

// In browsers without `closedBy`, the dialog can be closed without a choice.
dialog.addEventListener('close', () => {
  if (mustAnswer()) openTo(mode)
})
walkIn(dialog)
events.addEventListener('session', settle)
events.addEventListener('who', () => openLoaded(choosing))
events.addEventListener('manage', () => openLoaded(managing))
settle()
