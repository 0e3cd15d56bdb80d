import { byId, h } from './dom.js'
import { explain } from './viewer.js'

const results = byId('results')
const home = byId('home')

/** Aborted as soon as something else is shown. */
let asked = new AbortController()

/** Shows titles in place of the start page, or the start page. @param {boolean} isNeeded */
export const makeRoom = isNeeded => {
  asked.abort()
  asked = new AbortController()
  results.hidden = !isNeeded
  home.hidden = isNeeded
  if (!isNeeded) results.replaceChildren()
  return asked.signal
}

export const hasResults = () => results.childElementCount > 0

/** @param {import('./dom.js').Child | import('./dom.js').Child[]} title @param {...HTMLElement} rest */
export const showResults = (title, ...rest) =>
  results.replaceChildren(h('h1', { id: 'found', tabindex: -1, 'aria-live': 'polite' }, ...[title].flat()), ...rest)

/** @param {HTMLElement[]} items */
export const grid = items => h('ul', { class: 'grid' }, ...items)

/** @param {string} title @param {unknown} error @param {() => void} again */
export const showTrouble = (title, error, again) =>
  showResults(
    title,
    grid([
      h(
        'li',
        { class: 'trouble' },
        h('p', { role: 'alert' }, explain(error)),
        h('button', { type: 'button', class: 'quiet', onclick: again }, 'Try again')
      )
    ])
  )
