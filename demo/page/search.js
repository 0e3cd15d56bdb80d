import { card, skeletons } from './cards.js'
import { byId, h } from './dom.js'
import { isClose, marked } from './marks.js'
import { grid, hasResults, makeRoom, showResults, showTrouble } from './results.js'
import { viewer } from './viewer.js'
import { descriptionOf, nameOf } from './words.js'

const words = /** @type {HTMLInputElement} */ (byId('words'))
/** How long to wait for more typing before searching, in milliseconds. */
const rest = 150

/** Shows the results of the search, or the start page. */
export const search = async () => {
  const text = words.value.trim()
  const signal = makeRoom(text !== '')
  if (!text) return
  // While the user is typing, the last results stay until there are new ones.
  if (!hasResults()) showResults(`Searching for “${text}”`, grid(skeletons(8)))
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
      showResults(
        `No titles for “${text}”`,
        grid([h('li', { class: 'empty' }, 'Try fewer words, or only the beginning of a word: “clim” finds climbing.')])
      )
    else if (exact === 0) showResults(`No exact match for “${text}”, these are close`, grid(close.map(found)))
    else
      showResults(
        `${count === 1 ? 'One title' : `${count} titles`} for “${text}”`,
        grid(collection.slice(0, exact).map(found)),
        ...(close.length > 0 ? [h('h2', {}, 'These are close'), grid(close.map(found))] : [])
      )
  } catch (error) {
    if (!signal.aborted) showTrouble(`No response for “${text}”`, error, search)
  }
}

/** Clears the address of a person, whose titles are replaced by the results. */
const begin = () => {
  if (location.hash) history.replaceState(null, '', location.pathname)
  search()
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let resting
words.addEventListener('input', () => {
  clearTimeout(resting)
  resting = setTimeout(begin, words.value ? rest : 0)
})
byId('search').addEventListener('submit', event => {
  event.preventDefault()
  clearTimeout(resting)
  begin()
})
