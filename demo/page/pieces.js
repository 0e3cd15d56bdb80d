import { h, icon } from './dom.js'
import { hidden, saved, toggleHidden, toggleSaved } from './library.js'
import { announce } from './notice.js'
import { askToSignIn } from './sign-in.js'
import { events, explain, viewer } from './viewer.js'
import { nameOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */

/**
 * The picture of a content item, loaded from the host of this page. If it fails to load, the name takes its place.
 * @param {Content} content
 * @param {{ bare?: boolean }} [options] without the name in it
 */
export const picture = (content, { bare = false } = {}) => {
  const { pathname } = new URL(content.thumbnail, location.href)
  const image = h('img', {
    src: bare ? `${pathname}?bare` : pathname,
    alt: '',
    width: 640,
    height: 360,
    loading: 'lazy',
    decoding: 'async'
  })
  image.addEventListener('error', () => image.replaceWith(h('span', { class: 'no-picture' }, nameOf(content))))
  return image
}

/** @param {number} percentage */
export const bar = percentage =>
  h('progress', { class: 'bar', max: 100, value: percentage, 'aria-label': `${Math.round(percentage)} percent watched` })

/** The function that redraws each button. @type {WeakMap<Element, () => void>} */
const shows = new WeakMap()
/** @param {'saved' | 'hidden'} event @param {string} selector */
const redraw = (event, selector) =>
  events.addEventListener(event, () => {
    for (const button of document.querySelectorAll(selector)) shows.get(button)?.()
  })
redraw('saved', '.save')
redraw('hidden', '.hide')

/** @param {Content} content */
export const saveButton = content => {
  const button = h('button', { type: 'button', class: 'save', onclick: () => toggle() })
  const show = () => {
    const isSaved = saved.has(content.id)
    button.replaceChildren(icon(isSaved ? 'added' : 'add'), h('span', { class: 'label' }, isSaved ? 'On your watchlist' : 'Watchlist'))
    button.setAttribute('aria-pressed', String(isSaved))
    button.setAttribute('aria-label', `Watchlist: ${nameOf(content)}`)
    button.title = isSaved ? 'Take off the watchlist' : 'Put on the watchlist'
  }
  const toggle = async () => {
    if (!(await viewer.user())) return askToSignIn('Sign in to keep a watchlist.')
    button.disabled = true
    try {
      await toggleSaved(content.id)
      announce(saved.has(content.id) ? `${nameOf(content)} is on your watchlist.` : `${nameOf(content)} is off your watchlist.`)
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

/** Hides the title of a card, and undoes it. @param {Content} content */
export const hideButton = content => {
  const title = content.parent_id ? `The show of ${nameOf(content)}` : nameOf(content)
  const button = h('button', { type: 'button', class: 'hide', onclick: () => toggle() })
  const show = () => {
    const isHidden = hidden.has(content.id)
    button.replaceChildren(icon('hide'), h('span', { class: 'label' }, isHidden ? 'Hidden. Undo' : 'Not interested'))
    button.setAttribute('aria-pressed', String(isHidden))
    button.setAttribute('aria-label', `Hide: ${title}`)
    button.title = isHidden ? 'Undo: show it again' : 'Not interested: do not show it again'
  }
  const toggle = async () => {
    button.disabled = true
    try {
      await toggleHidden(content.id)
      announce(hidden.has(content.id) ? `${title} is hidden from now on.` : `${title} is no longer hidden.`)
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
