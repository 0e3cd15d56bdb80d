import { walkIn } from './arrow-grid.js'
import { byId, h } from './dom.js'
import { face } from './face.js'
import { whoWatches } from './household.js'
import { events, explain, viewer } from './viewer.js'
import { limitOf } from './words.js'

/** @typedef {import('./household.js').Profile} Profile */
/** @typedef {(said: string, id?: number) => Promise<void>} OnDone Called with what was done, and to which profile. */

const dialog = /** @type {HTMLDialogElement} */ (byId('profile'))
const limits = [null, 0, 6, 12, 16, 18]

/** @param {unknown} trouble */
const wordsFor = trouble => {
  const { status, fields = [] } = /** @type {{ status?: number, fields?: { field: string }[] }} */ (trouble)
  if (fields.some(({ field }) => field === 'max_age')) return 'At least one profile must have no limit.'
  if (fields.some(({ field }) => field === 'name')) return 'The name must have 1 to 100 characters, not only spaces.'
  if (status === 404) return 'This profile has been deleted meanwhile.'
  return explain(trouble)
}

/** @param {string} label @param {HTMLElement} control */
const labelled = (label, control) => h('label', {}, label, control)

/** Runs the action of a button, and shows its error. @param {HTMLElement} error @param {() => Promise<void>} work */
const attempt = async (error, work) => {
  error.textContent = ''
  dialog.setAttribute('aria-busy', 'true')
  try {
    await work()
  } catch (trouble) {
    error.textContent = wordsFor(trouble)
  }
  dialog.removeAttribute('aria-busy')
}

/** @param {Profile} profile @param {OnDone} onDone */
const confirmDeletion = (profile, onDone) => {
  const error = h('p', { class: 'error', role: 'alert' })
  const remove = () =>
    attempt(error, async () => {
      await viewer.removeProfile(profile.id)
      dialog.close()
      await onDone(`${profile.name} is deleted.`)
    })
  const keep = h('button', { type: 'button', class: 'quiet', onclick: () => editProfile(profile, onDone) }, `Keep ${profile.name}`)
  dialog.replaceChildren(
    h(
      'div',
      { class: 'editor' },
      h('div', { class: 'whom' }, face(profile.id), h('h2', { id: 'profile-title' }, `Delete ${profile.name}?`)),
      h('p', {}, `Everything that ${profile.name} has watched and saved will be deleted, too. This cannot be undone.`),
      error,
      h('div', { class: 'actions' }, h('button', { type: 'button', class: 'danger', onclick: remove }, `Delete ${profile.name}`), keep)
    )
  )
  keep.focus()
}

/** @param {Profile | undefined} profile without one, it is a new one @param {OnDone} onDone */
export const editProfile = (profile, onDone) => {
  const name = h('input', {
    id: 'profile-name',
    maxlength: 100,
    pattern: '.*\\S.*',
    required: true,
    autocomplete: 'off',
    value: profile?.name
  })
  const current = profile?.max_age ?? null
  const choices = limits.includes(current) ? limits : [...limits, current]
  const limit = h(
    'select',
    {},
    ...choices.map(age => h('option', { value: age ?? '', selected: age === current }, age === null ? 'No limit' : limitOf(age)))
  )
  const pin = h('input', {
    class: 'pin',
    inputmode: 'numeric',
    pattern: '[0-9]{4,8}',
    title: '4 to 8 digits',
    maxlength: 8,
    autocomplete: 'off',
    placeholder: profile?.has_pin ? 'Stays as it is' : 'None'
  })
  const withoutPin = h('input', { type: 'checkbox', id: 'without-pin' })
  const error = h('p', { class: 'error', role: 'alert' })

  const save = () =>
    attempt(error, async () => {
      const given = { name: name.value.trim(), max_age: limit.value === '' ? null : Number(limit.value) }
      const newPin = pin.value ? { pin: pin.value } : withoutPin.checked ? { pin: null } : {}
      if (profile) await viewer.changeProfile(profile.id, { ...given, ...newPin })
      const id = profile ? profile.id : await viewer.addProfile({ ...given, ...newPin })
      dialog.close()
      await onDone(profile ? `${given.name} is changed.` : `${given.name} can watch now.`, id)
    })
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    save()
  }
  const mayDelete = profile && !profile.first && profile.id !== whoWatches()?.id
  dialog.replaceChildren(
    h(
      'form',
      { class: 'editor', onsubmit: submit },
      h(
        'div',
        { class: 'whom' },
        profile ? face(profile.id) : null,
        h('h2', { id: 'profile-title' }, profile ? profile.name : 'A new profile')
      ),
      labelled('Name', name),
      labelled('Age limit', limit),
      labelled('PIN, 4 to 8 digits', pin),
      profile?.has_pin && h('label', { class: 'check' }, withoutPin, 'Remove the PIN'),
      error,
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'submit', class: 'primary' }, profile ? 'Save' : 'Add'),
        h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, 'Cancel'),
        mayDelete && h('button', { type: 'button', class: 'quiet danger', onclick: () => confirmDeletion(profile, onDone) }, 'Delete')
      )
    )
  )
  if (!dialog.open) dialog.showModal()
  name.focus()
}
walkIn(dialog)
events.addEventListener('ended', () => dialog.close())
