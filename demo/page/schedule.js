import { byId, h } from './dom.js'
import { bar, picture } from './pieces.js'
import { openSheet } from './sheet.js'
import { explain, viewer } from './viewer.js'
import { nameOf, timeOfDay, typeOf } from './words.js'

/** @typedef {import('./viewer.js').Schemas['OnAir']} OnAir */
/** @typedef {import('./viewer.js').Schemas['Programme']} Programme */

const place = byId('schedule')
const heading = () => h('h2', { id: 'schedule-title' }, 'On now and next')

/** @param {Programme} programme */
const sharePast = ({ starts_at, ends_at }) => (100 * (Date.now() - Date.parse(starts_at))) / (Date.parse(ends_at) - Date.parse(starts_at))

/** @param {Programme} programme */
const current = programme =>
  h(
    'button',
    { type: 'button', class: 'on', onclick: () => openSheet(programme.content) },
    h('span', { class: 'picture' }, picture(programme.content, 'backdrop'), bar(sharePast(programme))),
    h('span', { class: 'headline' }, nameOf(programme.content)),
    h('span', { class: 'note' }, `${typeOf(programme.content)} · until ${timeOfDay(programme.ends_at)}`)
  )

/** @param {Programme} programme */
const following = ({ starts_at, content }) =>
  h(
    'p',
    { class: 'later' },
    h('time', { datetime: starts_at }, timeOfDay(starts_at)),
    h('button', { type: 'button', class: 'link', onclick: () => openSheet(content) }, nameOf(content))
  )

/** @param {OnAir} onAir */
const channelOf = ({ channel, now, next }) =>
  h(
    'li',
    { class: 'channel' },
    h('h3', {}, channel),
    now ? current(now) : h('p', { class: 'empty' }, 'Nothing at the moment'),
    next && following(next)
  )

export const showSchedule = async () => {
  place.replaceChildren(
    heading(),
    h('ul', { class: 'channels' }, ...Array.from({ length: 4 }, () => h('li', { class: 'channel skeleton', 'aria-hidden': 'true' })))
  )
  try {
    const shown = (await viewer.scheduleNow()).map(channelOf)
    place.replaceChildren(
      heading(),
      shown.length > 0 ? h('ul', { class: 'channels' }, ...shown) : h('p', { class: 'empty' }, 'Nothing is on in the next 24 hours.')
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
