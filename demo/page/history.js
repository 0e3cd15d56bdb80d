import { byId, h, icon } from './dom.js'
import { remember } from './library.js'
import { announce } from './notice.js'
import { bar, picture } from './pieces.js'
import { openSheet } from './sheet.js'
import { emit, events, explain, viewer } from './viewer.js'
import { ago, clock, lineOf, nameOf, numberOf, typeOf } from './words.js'

const place = byId('history')
const perPage = 8

/** @param {import('./viewer.js').Schemas['HistoryElement']} element */
const line = ({ _id, content, time, percentage, plays, updated_at }) => {
  const remove = async () => {
    try {
      await viewer.delete('/history/{watchedVideoId}', { params: { path: { watchedVideoId: _id } } })
      announce(`${nameOf(content)} was removed from your history.`)
      await showHistory()
      byId('history-title').focus()
      emit('watched')
    } catch (error) {
      announce(explain(error), 'warning')
    }
  }
  return h(
    'li',
    { class: 'watched', 'data-id': content.id },
    h(
      'button',
      { type: 'button', class: 'open', onclick: () => openSheet(content) },
      h('span', { class: 'picture' }, picture(content, 'backdrop')),
      h('span', { class: 'headline' }, nameOf(content)),
      h('span', { class: 'note' }, lineOf(numberOf(content) || typeOf(content), ago(updated_at)))
    ),
    h('span', { class: 'how-far' }, bar(percentage), h('span', { class: 'note' }, plays > 0 ? 'Watched' : clock(time))),
    h(
      'button',
      { type: 'button', class: 'forget', 'aria-label': `Remove ${nameOf(content)}`, title: 'Remove from history', onclick: remove },
      icon('close')
    )
  )
}

const yearLink = () => h('div', { class: 'tools' }, h('a', { class: 'quiet', href: `#year-${new Date().getFullYear()}` }, 'Your year'))

export const showHistory = async () => {
  place.hidden = !(await viewer.user())
  if (place.hidden) return place.replaceChildren()
  const list = h('ul', { class: 'lines' })
  const more = h('button', { type: 'button', class: 'quiet', hidden: true })
  place.replaceChildren(h('h2', { id: 'history-title', tabindex: -1 }, 'History'), yearLink(), list, more)

  const add = async (/** @type {number} */ page) => {
    try {
      const { collection, meta } = await viewer.get('/history', { params: { query: { page, perPage } } })
      for (const element of collection) remember(element)
      list.append(...collection.map(line))
      if (meta.total_count === 0) list.append(h('li', { class: 'empty' }, 'Nothing watched yet.'))
      more.hidden = !meta.next_page
      more.textContent = `Show more of ${meta.total_count}`
      more.onclick = () => add(page + 1)
    } catch (error) {
      announce(explain(error), 'warning')
      more.hidden = false
      more.textContent = 'Try again'
      more.onclick = () => add(page)
    }
  }
  await add(1)
}
for (const event of ['watched', 'elsewhere']) events.addEventListener(event, showHistory)
