import { emit, events, viewer } from './viewer.js'

/** @typedef {import('./viewer.js').Schemas['Profile']} Profile */

const profileKey = 'viewer.profile'
const chosenKey = 'viewer.chosen'
const switchedKey = 'viewer.switched'

/** The profiles of the account, as of the last request. @type {Profile[]} */
let profiles = []
/** The current profile, stored for use without a connection. @type {Profile | null} */
let watching = JSON.parse(localStorage.getItem(profileKey) ?? 'null')

export const everybody = () => profiles
export const whoWatches = () => watching

/** @param {Profile | null} profile */
export const isLimited = profile => profile !== null && profile.max_age !== null

/** Whether a profile was chosen on this device since the sign-in. */
const isChosen = () => localStorage.getItem(chosenKey) !== null
export const keepChoice = () => localStorage.setItem(chosenKey, 'yes')

/** Shows the current profile. If it has an age limit, the page is styled for children. @param {Profile | null} profile */
const show = profile => {
  watching = profile
  localStorage.setItem(profileKey, JSON.stringify(profile))
  document.documentElement.dataset.looks = isLimited(profile) ? 'children' : 'everybody'
  emit('household')
}

const forget = () => {
  profiles = []
  localStorage.removeItem(chosenKey)
  show(null)
}

/** Loads the profiles. Resolves with whether a profile still has to be chosen. */
export const loadHousehold = async () => {
  const user = await viewer.user()
  if (!user) {
    forget()
    return false
  }
  profiles = await viewer.profiles()
  show(profiles.find(({ id }) => id === user.id) ?? null)
  if (profiles.length === 1) keepChoice()
  return !isChosen()
}

/** What a profile requires: its PIN, the password of the account, or nothing. @param {Profile} profile @returns {'pin' | 'password' | undefined} */
export const secretOf = ({ has_pin, max_age }) => {
  if (has_pin) return 'pin'
  const mine = watching?.max_age ?? null
  return mine !== null && (max_age === null || max_age > mine) ? 'password' : undefined
}

/**
 * Continues as a profile. Reloads the page, so that nothing of the previous profile is left on it.
 * @param {Profile} profile @param {{ pin?: string, password?: string }} [given]
 */
export const goOnAs = async (profile, given) => {
  await viewer.useProfile(profile.id, given)
  show(profile)
  keepChoice()
  sessionStorage.setItem(switchedKey, profile.name)
  scrollTo(0, 0)
  location.reload()
}

/** The name of the profile that was just switched to. */
export const takeSwitchedTo = () => {
  const name = sessionStorage.getItem(switchedKey)
  sessionStorage.removeItem(switchedKey)
  return name
}

// Other tabs follow a choice, a switch, a sign-in and a sign-out.
addEventListener('storage', async ({ key, newValue }) => {
  if (key === chosenKey && newValue) return location.reload()
  if (key !== 'viewer.session') return
  const session = JSON.parse(newValue ?? 'null')
  if (session?.user.id !== (await viewer.user())?.id) location.reload()
})
events.addEventListener('ended', forget)
show(watching)
