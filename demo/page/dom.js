/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes and children. Functions named `on...` become listeners, `true` sets an attribute and `false` omits it.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), /** @type {EventListener} */ (value))
    else if (value === true) element.setAttribute(name, '')
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, String(value))
  }
  element.append(
    ...children.filter(child => child !== null && child !== undefined && child !== false).map(child => /** @type {Node | string} */ (child))
  )
  return element
}

/**
 * An element of the document that is known to exist.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 */
export const byId = id => /** @type {T} */ (document.getElementById(id))

/**
 * @param {ParentNode} place
 * @param {number | string | undefined} id of the card's content
 */
export const focusCard = (place, id) => /** @type {HTMLElement | null} */ (place.querySelector(`[data-id="${id}"] .open`))?.focus()

/** Flipped for a dislike. */
const thumb =
  'M7.5 11v9M7.5 11 11 3.9c1.7 0 2.8 1.3 2.4 3l-.7 2.6h5.6a2 2 0 0 1 2 2.4l-1.3 6.5a2 2 0 0 1-2 1.6H4.6a1.6 1.6 0 0 1-1.6-1.6v-5.8A1.6 1.6 0 0 1 4.6 11z'

const paths = {
  play: 'M7 4v16l13-8z',
  pause: 'M7 4h4v16H7zM14 4h4v16h-4z',
  add: 'M12 5v14M5 12h14',
  added: 'm5 12.5 4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6 6 18',
  hide: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM4 4l16 16',
  like: thumb,
  dislike: thumb,
  languages: 'M4 5h16v11H11l-4 3.5V16H4zM8 9h8M8 12h5',
  lock: 'M6.5 11h11v8.5h-11zM9 11V8a3 3 0 0 1 6 0v3',
  switch: 'M4 8.5h13m-3.5-4 4 4-4 4M20 15.5H7m3.5-4-4 4 4 4',
  back: 'm14.5 5-7 7 7 7',
  forward: 'm9.5 5 7 7-7 7'
}

/** @param {keyof typeof paths} name */
export const icon = name => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', paths[name])
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  svg.setAttribute('class', `icon icon-${name}`)
  svg.append(path)
  return svg
}
