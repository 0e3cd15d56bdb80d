import { byId, h, icon } from './dom.js'
import { hideButton, picture, saveButton, thumbs } from './pieces.js'
import { openSheet } from './sheet.js'
import { askToSignIn, signIn } from './sign-in.js'
import { explain } from './viewer.js'
import { descriptionOf, nameOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */
/** @typedef {{ name: string } | undefined} User */

const hero = byId('hero')

export const showHeroSkeleton = () =>
  hero.replaceChildren(
    h(
      'div',
      { class: 'hero-text' },
      h('div', { class: 'skeleton line short' }),
      h('div', { class: 'skeleton line tall' }),
      h('div', { class: 'skeleton line' })
    )
  )

/** @param {unknown} error @param {() => void} again */
export const showHeroTrouble = (error, again) =>
  hero.replaceChildren(
    h(
      'div',
      { class: 'hero-text', role: 'alert' },
      h('h1', {}, 'The service is not responding'),
      h('p', { class: 'description' }, explain(error)),
      h('div', { class: 'actions' }, h('button', { type: 'button', class: 'primary', onclick: again }, 'Try again'))
    )
  )

const nothingToShow = () => [
  h('h1', {}, 'The catalogue is empty'),
  h('p', { class: 'description' }, 'Import one with npm run import, as the README explains.')
]

const invitation = () => [
  h('p', { class: 'pitch' }, 'See what the service knows about a viewer: where they left off, what they saved, what they may like next.'),
  h(
    'div',
    { class: 'invitation' },
    h('button', { type: 'button', class: 'primary', onclick: () => signIn('ada@example.com') }, 'Sign in as Ada'),
    h('button', { type: 'button', class: 'quiet', onclick: () => askToSignIn() }, 'Use another account')
  )
]

/** @param {Content | undefined} content @param {string} reason why it is shown @param {User} user */
export const showHero = (content, reason, user) => {
  if (!content) return hero.replaceChildren(h('div', { class: 'hero-text' }, ...nothingToShow()))
  hero.replaceChildren(
    h('div', { class: 'hero-art' }, picture(content, 'backdrop')),
    h(
      'div',
      { class: 'hero-text' },
      h('p', { class: 'eyebrow' }, reason),
      h('h1', {}, nameOf(content)),
      h('p', { class: 'description' }, descriptionOf(content)),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', class: user ? 'primary' : 'quiet', onclick: () => openSheet(content) }, icon('play'), 'Watch'),
        user ? saveButton(content) : null,
        user ? hideButton(content) : null,
        user && !content.parent_id && h('span', { class: 'pair' }, ...thumbs(content))
      ),
      ...(user ? [] : invitation())
    )
  )
}
