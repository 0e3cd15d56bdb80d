import { card, skeletons } from './cards.js'
import { byId, h } from './dom.js'
import { explain, viewer } from './viewer.js'
import { descriptionOf } from './words.js'

const words = /** @type {HTMLInputElement} */ (byId('words'))
const results = byId('results')
const home = byId('home')
/** How long to wait for more typing before searching, in milliseconds. */
const rest = 250

let asked = new AbortController()

const search = async () => {
  asked.abort()
  asked = new AbortController()
  const { signal } = asked
  const text = words.value.trim()
  results.hidden = text === ''
  home.hidden = text !== ''
  if (!text) return
  const title = h('h1', { id: 'found', 'aria-live': 'polite' }, `Searching for “${text}”`)
  const grid = h('ul', { class: 'grid' }, ...skeletons(8))
  results.replaceChildren(title, grid)
  try {
    const { collection, meta } = await viewer.get('/contents', { params: { query: { search: text, perPage: 60 } }, signal })
    title.textContent = `${meta.total_count === 1 ? 'One title' : `${meta.total_count} titles`} for “${text}”`
    grid.replaceChildren(...collection.map(content => card(content, { note: descriptionOf(content) })))
    if (collection.length === 0)
      grid.append(h('li', { class: 'empty' }, 'No title matches. Try fewer words, or only the beginning of a word: “clim” finds climbing.'))
  } catch (error) {
    if (signal.aborted) return
    title.textContent = `No response for “${text}”`
    grid.replaceChildren(
      h(
        'li',
        { class: 'trouble' },
        h('p', { role: 'alert' }, explain(error)),
        h('button', { type: 'button', class: 'quiet', onclick: search }, 'Try again')
      )
    )
  }
}

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
