import { card } from './cards.js'
import { byId, h } from './dom.js'
import { announce } from './notice.js'
import { rail } from './rail.js'
import { explain, viewer } from './viewer.js'
import { descriptionOf } from './words.js'

/** @typedef {import('./viewer.js').Schemas['RailCollection']} RailCollection */

const tabs = byId('collections')
const rails = byId('rails')

/** @type {number | undefined} */
let chosen

/** @param {RailCollection} collection */
const show = ({ id, rails: own = [] }) => {
  chosen = id
  for (const button of tabs.querySelectorAll('button')) {
    if (button.dataset.id === String(id)) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  }
  rails.replaceChildren(
    ...own.map(({ name, endpoint }) => {
      const load = async (/** @type {number} */ page) => {
        const { collection, meta } = await viewer.railContents(endpoint, { page, perPage: 12 })
        return { next: meta.next_page, cards: collection.map(content => card(content, { note: descriptionOf(content) })) }
      }
      return rail({ title: name, load }).section
    })
  )
}

/** Shows the collections of rails. The one that was open stays open, initially the first. */
export const showCollections = async () => {
  try {
    const { collection } = await viewer.get('/rail-collections', { params: { query: { with: ['rails'] } } })
    const choose = (/** @type {RailCollection} */ collection) => {
      show(collection)
      rails.scrollIntoView()
    }
    tabs.replaceChildren(
      ...collection.map(each => h('li', {}, h('button', { type: 'button', 'data-id': each.id, onclick: () => choose(each) }, each.name)))
    )
    const current = collection.find(({ id }) => id === chosen) ?? collection[0]
    if (current) show(current)
  } catch (error) {
    announce(explain(error), 'warning')
  }
}
