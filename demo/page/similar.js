import { h } from './dom.js'
import { picture } from './pieces.js'
import { viewer } from './viewer.js'
import { lengthOf, lineOf, nameOf, typeOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */

/**
 * Titles like this one. Shows nothing if there are none or they cannot be loaded.
 * @param {Content} content @param {(content: Content) => void} open
 */
export const similarTo = (content, open) => {
  const list = h('ul', { class: 'children similar' })
  const section = h(
    'section',
    { class: 'place', 'aria-labelledby': 'similar-title', hidden: true },
    h('h3', { id: 'similar-title' }, 'More like this'),
    list
  )
  const show = (/** @type {Content[]} */ titles) => {
    list.replaceChildren(
      ...titles.map(title =>
        h(
          'li',
          {},
          h(
            'button',
            { type: 'button', class: 'child', onclick: () => open(title) },
            h('span', { class: 'picture' }, picture(title, 'backdrop')),
            h('span', { class: 'child-name' }, nameOf(title)),
            h('span', { class: 'note' }, lineOf(typeOf(title), lengthOf(title)))
          )
        )
      )
    )
    section.hidden = titles.length === 0
  }
  viewer.similar(content.id, { perPage: 6 }).then(show, () => undefined)
  return section
}
