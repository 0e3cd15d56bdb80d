import { byId, h, icon } from './dom.js'
import { face } from './face.js'
import { everybody, isLimited, whoWatches } from './household.js'
import { askToSignIn } from './sign-in.js'
import { emit, events, viewer } from './viewer.js'
import { limitOf } from './words.js'

const account = byId('account')

/** @param {'who' | 'account'} opens @param {string} label @param {string} kind @param {...import('./dom.js').Child} children */
const opener = (opens, label, kind, ...children) =>
  h(
    'button',
    { type: 'button', class: kind, 'aria-label': label, title: label, 'aria-haspopup': 'dialog', onclick: () => emit(opens) },
    ...children
  )

const showAccount = async () => {
  const user = await viewer.user()
  const profile = whoWatches()
  if (!user) return account.replaceChildren(h('button', { type: 'button', class: 'primary', onclick: () => askToSignIn() }, 'Sign in'))
  const name = profile?.name ?? user.name
  const me = [face(user.id), h('span', { class: 'who' }, name)]
  if (profile && isLimited(profile)) {
    const limit = h('span', { class: 'limit' }, limitOf(Number(profile.max_age)))
    return account.replaceChildren(opener('who', `${name}, ${limit.textContent}: switch the profile`, 'me', ...me, ' ', limit))
  }
  return account.replaceChildren(
    opener('account', `${name}: your account`, 'me', ...me),
    ...(everybody().length > 1 ? [opener('who', 'Switch the profile', 'switch', icon('switch'))] : [])
  )
}

events.addEventListener('household', showAccount)
showAccount()
