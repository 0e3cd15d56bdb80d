import { emit, events, viewer } from './viewer.js'

/** @typedef {import('./viewer.js').Schemas['Profile']} Profile */

const key = 'viewer.watching'

/** The profiles of the account, as they were asked for last. @type {Profile[]} */
let profiles = []
/** Who watches on this device, until somebody switches or signs out. @type {Profile | null} */
let watching = JSON.parse(localStorage.getItem(key) ?? 'null')

export const everybody = () => profiles
export const whoWatches = () => watching

/** @param {Profile | null} profile */
export const isLimited = profile => profile !== null && profile.max_age !== null

/** A page for children looks like one. */
const show = () => {
  document.documentElement.dataset.audience = isLimited(watching) ? 'children' : 'everybody'
  emit('household')
}

/** @param {Profile | null} profile */
export const remember = profile => {
  watching = profile
  localStorage.setItem(key, JSON.stringify(profile))
  show()
}

/** Asks who there is. Resolves with whether somebody has to say who watches. */
export const loadHousehold = async () => {
  const user = await viewer.user()
  if (!user) {
    profiles = []
    remember(null)
    return false
  }
  profiles = await viewer.profiles()
  const isKnown = watching?.id === user.id || profiles.length === 1
  remember((isKnown && profiles.find(({ id }) => id === user.id)) || null)
  return !isKnown
}

/** What opens a profile: its PIN, the password of the account, or nothing. @param {Profile} profile @returns {'pin' | 'password' | undefined} */
export const secretOf = ({ has_pin, max_age }) => {
  if (has_pin) return 'pin'
  const mine = watching?.max_age ?? null
  return mine !== null && (max_age === null || max_age > mine) ? 'password' : undefined
}

/**
 * Goes on as a profile. The page is loaded anew, so that nothing of the one before is left on it.
 * @param {Profile} profile @param {{ pin?: string, password?: string }} [given]
 */
export const goOnAs = async (profile, given) => {
  await viewer.useProfile(profile.id, given)
  remember(profile)
  sessionStorage.setItem(key, profile.name)
  scrollTo(0, 0)
  location.reload()
}

/** The name of the profile to which the page has just been switched. */
export const takeSwitchedTo = () => {
  const name = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  return name
}

// Other tabs follow a switch, a sign-in and a sign-out.
addEventListener('storage', async ({ key, newValue }) => {
  if (key !== 'viewer.session') return
  const session = JSON.parse(newValue ?? 'null')
  if (session?.user.id !== (await viewer.user())?.id) location.reload()
})
events.addEventListener('ended', () => remember(null))
show()
