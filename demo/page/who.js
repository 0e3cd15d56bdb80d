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

/** Nobody has said yet who watches, so this page cannot be left without an answer. */
let isNeeded = false
let isManaging = false

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
  const secret = isCurrent && !isNeeded ? undefined : secretOf(profile)
  if (secret) return askForSecret(profile, secret)
  if (!isCurrent) return goOnAs(profile).catch(error => refused(profile, error))
  isNeeded = false
  keepChoice()
  dialog.close()
  emit('settled')
}

/** @param {Profile} profile */
const noteOf = ({ id, max_age, has_pin }) => {
  if (isManaging) return 'Change'
  if (id === whoWatches()?.id && !isNeeded) return 'Watching now'
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
        'aria-current': profile.id === whoWatches()?.id && !isNeeded && 'true',
        onclick: () => (isManaging ? edit(profile) : choose(profile))
      },
      face(profile.id),
      h('span', { class: 'profile-name' }, profile.name),
      h('span', { class: 'note' }, profile.has_pin && !isManaging ? icon('lock') : null, noteOf(profile))
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

const manage = (/** @type {boolean} */ yes) => {
  isManaging = yes
  draw()
  byId('who-title').focus()
}
const signOut = async () => {
  isNeeded = false
  dialog.close()
  await viewer.signOut()
  emit('session')
  announce('You are signed out.')
}

const actionsOf = () => {
  if (isManaging) return [action('Done', () => (isNeeded || everybody().length > 1 ? manage(false) : dialog.close()))]
  if (isLimited(whoWatches())) return [action(`Back to ${whoWatches()?.name}`, () => dialog.close())]
  return [action('Manage profiles', () => manage(true)), isNeeded ? action('Sign out', signOut) : action('Back', () => dialog.close())]
}

const draw = () =>
  dialog.replaceChildren(
    h(
      'div',
      { class: 'stage' },
      h('h2', { id: 'who-title', tabindex: -1 }, isManaging ? 'Manage profiles' : 'Who is watching?'),
      h('ul', { class: 'profiles' }, ...everybody().map(tile), isManaging && everybody().length < mostProfiles && addTile()),
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
    // The page still shows what the old limit allowed.
    if (whoWatches()?.max_age !== limit) return location.reload()
    draw()
    focusProfile(id)
    announce(said)
  })

const open = () => {
  draw()
  dialog.closedBy = isNeeded ? 'none' : 'closerequest'
  if (!dialog.open) dialog.showModal()
  focusProfile(whoWatches()?.id)
}
const openWith = async (/** @type {boolean} */ managing) => {
  try {
    await loadHousehold()
    isManaging = managing
    open()
  } catch (error) {
    announce(explain(error), 'warning')
  }
}

const settle = async () => {
  // Without a connection, the page goes on for who watched last.
  isNeeded = await loadHousehold().catch(() => false)
  isManaging = false
  if (isNeeded) return open()
  dialog.close()
  const name = takeSwitchedTo()
  if (name) {
    announce(`Hello, ${name}.`)
    byId('main').focus()
  }
  emit('settled')
}

// Browsers without `closedBy` let the dialog be closed without an answer.
dialog.addEventListener('close', () => {
  if (isNeeded) open()
})
walkIn(dialog)
events.addEventListener('session', settle)
events.addEventListener('who', () => openWith(false))
events.addEventListener('manage', () => openWith(true))
settle()
