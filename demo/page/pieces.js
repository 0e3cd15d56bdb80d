import { h, icon } from './dom.js'
import { hidden, ratings, saved, toggleHidden, toggleRated, toggleSaved } from './library.js'
import { announce } from './notice.js'
import { askToSignIn } from './sign-in.js'
import { events, explain, viewer } from './viewer.js'
import { nameOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */

/** @typedef {'thumbnail' | 'backdrop' | 'poster'} Kind A backdrop has no name in it, a poster is upright. */

/** The path of a picture. The host of this page may have a different name than when the demo was filled. @param {string} url */
export const onThisHost = url => new URL(url, location.href).pathname

/** The picture of a kind, or else the thumbnail. @param {Content} content @param {Kind} kind */
const addressOf = ({ images = [], thumbnail }, kind) => onThisHost(images.find(image => image.kind === kind)?.url ?? thumbnail)

/** The picture of a content item. If it fails to load, the name takes its place. @param {Content} content @param {Kind} kind */
export const picture = (content, kind) => {
  const image = h('img', {
    src: addressOf(content, kind),
    alt: '',
    loading: 'lazy',
    decoding: 'async'
  })
  image.addEventListener('error', () => image.replaceWith(h('span', { class: 'no-picture' }, nameOf(content))))
  return image
}

/** The picture of a card, which style.css makes upright on narrow screens. @param {Content} content */
export const cardPicture = content =>
  h('picture', {}, h('source', { media: '(max-width: 47.9rem)', srcset: addressOf(content, 'poster') }), picture(content, 'thumbnail'))

/** @param {number} percentage */
export const bar = percentage =>
  h('progress', { class: 'bar', max: 100, value: percentage, 'aria-label': `${Math.round(percentage)} percent watched` })

/** The function that redraws each button. @type {WeakMap<Element, () => void>} */
const shows = new WeakMap()
/** @param {'saved' | 'rated' | 'hidden'} event @param {string} selector */
const redraw = (event, selector) =>
  events.addEventListener(event, () => {
    for (const button of document.querySelectorAll(selector)) shows.get(button)?.()
  })
redraw('saved', '.save')
redraw('rated', '.like, .dislike')
redraw('hidden', '.hide')

/**
 * @typedef {{ icon: Parameters<typeof icon>[0], label: string, title: string, said: string }} Look `said` is announced after the change.
 * @typedef {object} Toggle
 * @property {'save' | 'like' | 'dislike' | 'hide'} kind
 * @property {string} subject what it is about, for screen readers
 * @property {string} invitation why to sign in
 * @property {() => boolean} isOn
 * @property {() => Promise<void>} toggle
 * @property {Look} on
 * @property {Look} off
 */

/** A toggle button in the state that the service knows. @param {Toggle} given */
const toggleButton = ({ kind, subject, invitation, isOn, toggle, on, off }) => {
  const look = () => (isOn() ? on : off)
  const button = h('button', { type: 'button', class: kind, onclick: () => press() })
  const show = () => {
    button.replaceChildren(icon(look().icon), h('span', { class: 'label' }, look().label))
    button.setAttribute('aria-label', `${look().label}: ${subject}`)
    button.setAttribute('aria-pressed', String(isOn()))
    button.title = look().title
  }
  const press = async () => {
    if (!(await viewer.user())) return askToSignIn(invitation)
    button.disabled = true
    try {
      await toggle()
      announce(look().said)
    } catch (error) {
      announce(explain(error), 'warning')
    }
    button.disabled = false
    if (button.isConnected) button.focus()
  }
  show()
  shows.set(button, show)
  return button
}

/** @param {Content} content */
export const saveButton = content =>
  toggleButton({
    kind: 'save',
    subject: nameOf(content),
    invitation: 'Sign in to keep a watchlist.',
    isOn: () => saved.has(content.id),
    toggle: () => toggleSaved(content.id),
    on: {
      icon: 'added',
      label: 'On your watchlist',
      title: 'Take off the watchlist',
      said: `${nameOf(content)} is on your watchlist.`
    },
    off: { icon: 'add', label: 'Watchlist', title: 'Put on the watchlist', said: `${nameOf(content)} is off your watchlist.` }
  })

/** Likes and dislikes a title. @param {Content} title */
export const thumbs = title => {
  const name = nameOf(title)
  const off = `${name} is no longer rated.`
  /** @param {'like' | 'dislike'} kind @param {string} label @param {string} said */
  const thumb = (kind, label, said) =>
    toggleButton({
      kind,
      subject: name,
      invitation: 'Sign in to say what you like.',
      isOn: () => ratings.get(title.id) === kind,
      toggle: () => toggleRated(title.id, kind),
      on: { icon: kind, label, title: 'Take it back', said },
      off: { icon: kind, label, title: label, said: off }
    })
  return [thumb('like', 'I like this', `You like ${name}.`), thumb('dislike', 'Not for me', `${name} will not be recommended.`)]
}

/** Hides the title of a card, and undoes it. @param {Content} content */
export const hideButton = content => {
  const title = content.parent_id ? `The show of ${nameOf(content)}` : nameOf(content)
  return toggleButton({
    kind: 'hide',
    subject: title,
    invitation: 'Sign in to hide titles.',
    isOn: () => hidden.has(content.id),
    toggle: () => toggleHidden(content.id),
    on: { icon: 'hide', label: 'Hidden. Undo', title: 'Undo: show it again', said: `${title} is hidden from now on.` },
    off: {
      icon: 'hide',
      label: 'Not interested',
      title: 'Not interested: do not show it again',
      said: `${title} is no longer hidden.`
    }
  })
}
