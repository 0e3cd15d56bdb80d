import { card, skeletons } from './cards.js'
import { byId, h } from './dom.js'
import { portrait } from './people.js'
import { grid, makeRoom, showResults, showTrouble } from './results.js'
import { parentsOf } from './rows.js'
import { search } from './search.js'
import { viewer } from './viewer.js'
import { lineOf, nameOf, numberOf, typeOf, yearOf } from './words.js'

const addressed = () => /^#person-(\d+)$/.exec(location.hash)?.[1]

/** @param {HTMLElement[]} cards */
const posters = cards => {
  const list = grid(cards)
  list.classList.add('posters')
  return list
}

/** The latest titles of a person, and episodes under the name of their show. @param {string} personId @param {AbortSignal} signal */
const load = async (personId, signal) => {
  const query = { people: [Number(personId)], order_by: /** @type {const} */ ('year'), perPage: 100 }
  const [person, { collection }] = await Promise.all([
    viewer.get('/people/{personId}', { params: { path: { personId } }, signal }),
    viewer.get('/contents', { params: { query }, signal })
  ])
  const parents = await parentsOf(collection)
  const cards = collection.map(content => {
    const parent = parents.get(content.parent_id ?? 0)
    return card(content, {
      isUpright: true,
      headline: parent ? nameOf(parent) : '',
      note: lineOf(numberOf(content) || typeOf(content), yearOf(content))
    })
  })
  return { person, cards }
}

/** Shows the titles of the person in the address of the page. */
export const showPerson = async () => {
  const id = addressed()
  if (!id) return
  const signal = makeRoom(true)
  showResults('Loading', posters(skeletons(8)))
  scrollTo(0, 0)
  try {
    const { person, cards } = await load(id, signal)
    if (signal.aborted) return
    const none = h('li', { class: 'empty' }, 'No titles with this person can be watched now.')
    showResults([portrait(person), person.name], posters(cards.length > 0 ? cards : [none]))
    byId('found').focus()
  } catch (error) {
    if (signal.aborted) return
    const { status } = /** @type {{ status?: number }} */ (error)
    showTrouble(status === 404 ? 'There is no such person' : 'No response', error, showPerson)
  }
}

addEventListener('hashchange', () => {
  if (addressed()) showPerson()
  else if (!location.hash) search()
})
