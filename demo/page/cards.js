import { h } from './dom.js'
import { progress } from './library.js'
import { bar, cardPicture, hideButton, picture, saveButton, thumbs } from './pieces.js'
import { openSheet } from './sheet.js'
import { nameOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */

/**
 * @param {Content} content
 * @param {{ name?: Node, note?: import('./dom.js').Child | import('./dom.js').Child[], headline?: string, percentage?: number | undefined, badge?: string | undefined, rank?: number, mayHide?: boolean, isUpright?: boolean }} [options]
 */
export const card = (
  content,
  {
    name = h('span', { class: 'unseen' }, `${nameOf(content)}. `),
    note = '',
    headline = '',
    percentage = progress.get(content.id)?.percentage,
    badge,
    rank,
    mayHide = false,
    isUpright = false
  } = {}
) =>
  h(
    'li',
    { class: 'card', 'data-id': content.id },
    h(
      'button',
      { type: 'button', class: 'open', onclick: () => openSheet(content) },
      rank && h('span', { class: 'rank' }, `${rank} `),
      h(
        'span',
        { class: 'picture' },
        isUpright ? picture(content, 'poster') : cardPicture(content),
        badge && h('span', { class: 'badge' }, badge),
        percentage ? bar(percentage) : null
      ),
      name,
      headline && h('span', { class: 'headline' }, headline),
      h('span', { class: 'note' }, ...[note].flat())
    ),
    saveButton(content),
    mayHide && hideButton(content),
    ...(content.parent_id ? [] : thumbs(content))
  )

/** @param {number} count */
export const skeletons = count =>
  Array.from({ length: count }, () =>
    h('li', { class: 'card skeleton', 'aria-hidden': 'true' }, h('span', { class: 'picture' }), h('span', { class: 'note' }))
  )
