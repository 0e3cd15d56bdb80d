import { card } from './cards.js'
import { byId, h, icon } from './dom.js'
import { hideButton, picture, saveButton } from './pieces.js'
import { rail } from './rail.js'
import { openSheet } from './sheet.js'
import { askToSignIn, signIn } from './sign-in.js'
import { events, explain, viewer } from './viewer.js'
import { clock, descriptionOf, lengthOf, lineOf, nameOf, numberOf, typeOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */
/** @typedef {import('./viewer.js').Schemas} Schemas */
/** @typedef {{ name: string } | undefined} User */

const hero = byId('hero')
const personal = byId('personal')

/** @param {Schemas['Recommendation']} recommendation @returns {string} */
const reasonOf = ({ reason }) => {
  switch (reason.type) {
    case 'watched':
      return `Because you watched ${reason.name}`
    case 'popular':
      return 'Popular now'
  }
}

/** The shows and seasons of these contents, by id. @param {Content[]} contents @returns {Promise<Map<number, Content>>} */
const parentsOf = async contents => {
  const ids = [...new Set(contents.flatMap(({ parent_id }) => parent_id ?? []))]
  if (ids.length === 0) return new Map()
  const { collection } = await viewer.get('/contents', { params: { query: { ids, perPage: 100 } } })
  return new Map(collection.map(content => [content.id, content]))
}

const continueRail = () =>
  rail({
    title: 'Continue watching',
    empty: 'Nothing started yet. Open a title and drag its player, and it appears here.',
    load: async page => {
      const { collection, meta } = await viewer.get('/continue-watching', { params: { query: { page } } })
      const parents = await parentsOf(collection.map(({ content }) => content))
      return {
        next: meta.next_page,
        cards: collection.map(({ content, reason, history }) => {
          const parent = parents.get(content.parent_id ?? 0)
          return card(content, {
            headline: parent ? nameOf(parent) : nameOf(content),
            note: lineOf(numberOf(content), reason === 'next' ? 'Next episode' : `Resume at ${clock(history?.time ?? 0)}`),
            // One that is watched again is at its end from the last time.
            percentage: history && history.percentage < 90 ? history.percentage : 0,
            mayHide: true
          })
        })
      }
    }
  })

/** @param {Promise<Schemas['Recommendation'][]>} recommendations @param {User} user */
const recommendedRail = (recommendations, user) =>
  rail({
    title: user ? `Recommended for ${user.name}` : 'Popular now',
    load: async () => ({
      next: false,
      cards: (await recommendations)
        .slice(1)
        .map(content => card(content, { note: reasonOf(content), badge: content.recent ? 'New' : undefined, mayHide: Boolean(user) }))
    })
  })

const watchlistRail = () =>
  rail({
    title: 'Your watchlist',
    empty: 'Nothing saved yet. Press the plus on a title to save it for later.',
    load: async page => {
      const { collection, meta } = await viewer.get('/watchlist', { params: { query: { page } } })
      return {
        next: meta.next_page,
        cards: collection.map(({ content }) => card(content, { note: lineOf(typeOf(content), lengthOf(content)) }))
      }
    }
  })

const showHeroSkeleton = () =>
  hero.replaceChildren(
    h(
      'div',
      { class: 'hero-text' },
      h('div', { class: 'skeleton line short' }),
      h('div', { class: 'skeleton line tall' }),
      h('div', { class: 'skeleton line' })
    )
  )

/** @param {Schemas['Recommendation'] | undefined} content @param {User} user */
const showHero = (content, user) => {
  if (!content)
    return hero.replaceChildren(
      h(
        'div',
        { class: 'hero-text' },
        h('h1', {}, 'The catalogue is empty'),
        h('p', { class: 'description' }, 'Import one with npm run import, as the README explains.')
      )
    )
  const invitation = h(
    'div',
    { class: 'invitation' },
    h('button', { type: 'button', class: 'primary', onclick: () => signIn('ada@example.com') }, 'Sign in as Ada'),
    h('button', { type: 'button', class: 'quiet', onclick: () => askToSignIn() }, 'Use another account')
  )
  hero.replaceChildren(
    h('div', { class: 'hero-art' }, picture(content, { bare: true })),
    h(
      'div',
      { class: 'hero-text' },
      h('p', { class: 'eyebrow' }, reasonOf(content)),
      h('h1', {}, nameOf(content)),
      h('p', { class: 'description' }, descriptionOf(content)),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', class: user ? 'primary' : 'quiet', onclick: () => openSheet(content) }, icon('play'), 'Watch'),
        user ? saveButton(content) : null,
        user ? hideButton(content) : null
      ),
      user
        ? null
        : h(
            'p',
            { class: 'pitch' },
            'See what the service knows about a viewer: where they left off, what they saved, what they may like next.'
          ),
      user ? null : invitation
    )
  )
}

/** Shows everything that depends on the signed-in user. */
export const showPersonal = async () => {
  const user = await viewer.user()
  showHeroSkeleton()
  const recommendations = viewer.get('/recommendations', { params: { query: { perPage: 25 } } })
  const begun = user && continueRail()
  const later = user && watchlistRail()
  const next = recommendedRail(recommendations, user)
  personal.replaceChildren(...[begun, next, later].flatMap(each => (each ? each.section : [])))
  reloads.watched = begun?.reload
  reloads.saved = later?.reload
  try {
    showHero((await recommendations)[0], user)
  } catch (error) {
    hero.replaceChildren(
      h(
        'div',
        { class: 'hero-text', role: 'alert' },
        h('h1', {}, 'The service is not responding'),
        h('p', { class: 'description' }, explain(error)),
        h('div', { class: 'actions' }, h('button', { type: 'button', class: 'primary', onclick: showPersonal }, 'Try again'))
      )
    )
  }
}

/** @type {{ watched?: (() => void) | undefined, saved?: (() => void) | undefined }} */
const reloads = {}
events.addEventListener('watched', () => reloads.watched?.())
events.addEventListener('saved', () => reloads.saved?.())
events.addEventListener('unhidden', showPersonal)
