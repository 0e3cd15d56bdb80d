import { byId, h } from './dom.js'
import { bar, picture } from './pieces.js'
import { openSheet } from './sheet.js'
import { explain, viewer } from './viewer.js'
import { nameOf, timeOfDay, typeOf } from './words.js'

/** @typedef {import('./viewer.js').Schemas['Programme']} Programme */

const place = byId('schedule')
const heading = () => h('h2', { id: 'schedule-title' }, 'On now and next')

/** @param {Programme} programme */
const sharePast = ({ starts_at, ends_at }) => (100 * (Date.now() - Date.parse(starts_at))) / (Date.parse(ends_at) - Date.parse(starts_at))

/** @param {string} channel @param {Programme[]} programmes */
const channelOf = (channel, programmes) => {
  const [first, ...others] = programmes
  if (!first) return ''
  const isOn = Date.parse(first.starts_at) <= Date.now()
  const later = (isOn ? others : programmes).slice(0, 3)
  return h(
    'li',
    { class: 'channel' },
    h('h3', {}, channel),
    isOn
      ? h(
          'button',
          { type: 'button', class: 'on', onclick: () => openSheet(first.content) },
          h('span', { class: 'picture' }, picture(first.content, { bare: true }), bar(sharePast(first))),
          h('span', { class: 'headline' }, nameOf(first.content)),
          h('span', { class: 'note' }, `${typeOf(first.content)} · until ${timeOfDay(first.ends_at)}`)
        )
      : h('p', { class: 'empty' }, 'Nothing at the moment'),
    h(
      'ol',
      { class: 'later', 'aria-label': `Next on ${channel}` },
      ...later.map(({ starts_at, content }) =>
        h(
          'li',
          {},
          h('time', { datetime: starts_at }, timeOfDay(starts_at)),
          h('button', { type: 'button', class: 'link', onclick: () => openSheet(content) }, nameOf(content))
        )
      )
    )
  )
}

/** Shows what is on now and next, per channel. */
export const showSchedule = async () => {
  place.replaceChildren(
    heading(),
    h('ul', { class: 'channels' }, ...Array.from({ length: 4 }, () => h('li', { class: 'channel skeleton', 'aria-hidden': 'true' })))
  )
  try {
    const { collection } = await viewer.get('/schedule', { params: { query: { perPage: 100 } } })
    const channels = Map.groupBy(collection, ({ channel }) => channel)
    const shown = [...channels]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([channel, programmes]) => channelOf(channel, programmes))
    place.replaceChildren(
      heading(),
      shown.length > 0 ? h('ul', { class: 'channels' }, ...shown) : h('p', { class: 'empty' }, 'No channel shows anything in the next day.')
    )
  } catch (error) {
    place.replaceChildren(
      heading(),
      h(
        'div',
        { class: 'trouble', role: 'alert' },
        h('p', {}, explain(error)),
        h('button', { type: 'button', class: 'quiet', onclick: showSchedule }, 'Try again')
      )
    )
  }
}
