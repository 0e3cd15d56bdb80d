import { card, skeletons } from './cards.js'
import { byId, h } from './dom.js'
import { isClose, marked } from './marks.js'
import { explain, viewer } from './viewer.js'
import { descriptionOf, nameOf } from './words.js'

const words = /** @type {HTMLInputElement} */ (byId('words'))
const results = byId('results')
const home = byId('home')
/** How long to wait for more typing before searching, in milliseconds. */
const rest = 150

let asked = new AbortController()

const search = async () => {
  asked.abort()
  asked = new AbortController()
  const { signal } = asked
  const text = words.value.trim()
  results.hidden = text === ''
  home.hidden = text !== ''
  if (!text) return results.replaceChildren()
  // While somebody types, the last results stay until there are new ones.
  if (results.childElementCount === 0) show(`Searching for “${text}”`, grid(skeletons(8)))
  try {
    const { collection, meta } = await viewer.get('/contents', { params: { query: { search: text, perPage: 60 } }, signal })
    if (signal.aborted) return
    /** @param {import('./viewer.js').Content} content */
    const found = content =>
      card(content, {
        name: h('span', { class: 'headline' }, ...marked(nameOf(content), text)),
        note: marked(descriptionOf(content), text)
      })
    const exact = collection.findLastIndex(content => !isClose(content, text)) + 1
    const close = collection.slice(exact)
    const count = meta.total_count - close.length
    if (collection.length === 0)
      show(
        `No titles for “${text}”`,
        grid([h('li', { class: 'empty' }, 'Try fewer words, or only the beginning of a word: “clim” finds climbing.')])
      )
    else if (exact === 0) show(`No exact match for “${text}”, these are close`, grid(close.map(found)))
    else
      show(
        `${count === 1 ? 'One title' : `${count} titles`} for “${text}”`,
        grid(collection.slice(0, exact).map(found)),
        ...(close.length > 0 ? [h('h2', {}, 'These are close'), grid(close.map(found))] : [])
      )
  } catch (error) {
    if (signal.aborted) return
    show(
      `No response for “${text}”`,
      grid([
        h(
          'li',
          { class: 'trouble' },
          h('p', { role: 'alert' }, explain(error)),
          h('button', { type: 'button', class: 'quiet', onclick: search }, 'Try again')
        )
      ])
    )
  }
}

/** @param {string} title @param {...HTMLElement} rest */
const show = (title, ...rest) => results.replaceChildren(h('h1', { id: 'found', 'aria-live': 'polite' }, title), ...rest)
/** @param {HTMLElement[]} items */
const grid = items => h('ul', { class: 'grid' }, ...items)

/** @type {ReturnType<typeof setTimeout> | undefined} */
let resting
words.addEventListener('input', () => {
  clearTimeout(resting)
  resting = setTimeout(search, words.value ? rest : 0)
})
byId('search').addEventListener('submit', event => {
  event.preventDefault()
  clearTimeout(resting)
  search()
})
