import { byId, h } from './dom.js'
import { hidden } from './library.js'
import { announce } from './notice.js'
import { picture } from './pieces.js'
import { openSheet } from './sheet.js'
import { emit, events, explain, viewer } from './viewer.js'
import { ago, nameOf, typeOf } from './words.js'

const place = byId('hidden')

/** @param {import('./viewer.js').Schemas['HiddenTitle']} title */
const line = ({ content_id, content, created_at }) => {
  const unhide = async () => {
    try {
      await viewer.unhide(content_id)
      hidden.clear()
      announce(`${nameOf(content)} is no longer hidden.`)
      await showHidden()
      byId(place.hidden ? 'history-title' : 'hidden-title').focus()
      emit('unhidden')
    } catch (error) {
      announce(explain(error), 'warning')
    }
  }
  return h(
    'li',
    { class: 'watched', 'data-id': content_id },
    h(
      'button',
      { type: 'button', class: 'open', onclick: () => openSheet(content) },
      h('span', { class: 'picture' }, picture(content, 'backdrop')),
      h('span', { class: 'headline' }, nameOf(content)),
      h('span', { class: 'note' }, `${typeOf(content)} · hidden ${ago(created_at)}`)
    ),
    h('button', { type: 'button', class: 'quiet', 'aria-label': `Show ${nameOf(content)} again`, onclick: unhide }, 'Show again')
  )
}

/** Shows the hidden titles, newest first, if there are any. */
export const showHidden = async () => {
  if (!(await viewer.user())) {
    place.hidden = true
    return
  }
  try {
    const { collection } = await viewer.hidden({ perPage: 100 })
    place.replaceChildren(
      h('h2', { id: 'hidden-title', tabindex: -1 }, 'Hidden titles'),
      h('ul', { class: 'lines' }, ...collection.map(line))
    )
    place.hidden = collection.length === 0
  } catch (error) {
    announce(explain(error), 'warning')
  }
}
events.addEventListener('hidden', showHidden)
