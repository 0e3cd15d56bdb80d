import { byId } from './dom.js'

/** The rows that the arrow keys of a remote control move between. */
const rows = '#hero .actions, #hero .invitation, .row, .grid, .channels, .lines, .tools'
const stops = '.open, .on, .actions button, .invitation button, .tools :is(a, button)'

/** @typedef {'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'} Arrow */

const main = byId('main')

/** The visible stops of a row. A grid has several rows. @param {Element} row @returns {HTMLElement[][]} */
const stopsIn = row => {
  const all = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(row.matches('#hero *') ? 'button' : stops)])
  const seen = all.filter(stop => stop.checkVisibility())
  if (!row.matches('.grid')) return seen.length > 0 ? [seen] : []
  return [...Map.groupBy(seen, stop => stop.getBoundingClientRect().top).values()]
}

const stopsByRow = () => [...main.querySelectorAll(rows)].flatMap(stopsIn)

/** @param {Element} element */
const centre = element => {
  const { left, width } = element.getBoundingClientRect()
  return left + width / 2
}

/** @param {HTMLElement[]} row @param {Element} from */
const nearest = (row, from) =>
  row.reduce((best, stop) => (Math.abs(centre(stop) - centre(from)) < Math.abs(centre(best) - centre(from)) ? stop : best))

/** @param {Arrow} arrow @param {Element | null} from */
const next = (arrow, from) => {
  const all = stopsByRow()
  const row = all.findIndex(stops => stops.some(stop => stop === from))
  if (row === -1 || !from) return all[0]?.[0]
  const own = all[row] ?? []
  const place = own.indexOf(/** @type {HTMLElement} */ (from))
  switch (arrow) {
    case 'ArrowLeft':
      return own[place - 1]
    case 'ArrowRight':
      return own[place + 1]
    case 'ArrowUp':
      return all[row - 1] && nearest(all[row - 1] ?? [], from)
    case 'ArrowDown':
      return all[row + 1] && nearest(all[row + 1] ?? [], from)
  }
}

/** @param {KeyboardEvent} event */
const walk = event => {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event
  if (!/^Arrow(Left|Right|Up|Down)$/.test(key) || altKey || ctrlKey || metaKey || shiftKey) return
  const from = document.activeElement
  // Fields, sliders and dialogs have arrow keys of their own.
  const isElsewhere = from !== document.body && !main.contains(from)
  if (isElsewhere || document.querySelector('dialog[open]') || (target instanceof Element && target.matches('input, [role=slider]'))) return
  // Tab also reaches the buttons of a card. From there, the arrow keys move as if from the card itself.
  const stop = next(/** @type {Arrow} */ (key), from?.closest('.card')?.querySelector('.open') ?? from)
  if (!stop) return
  event.preventDefault()
  stop.focus({ preventScroll: true })
  stop.scrollIntoView({ block: 'center', inline: 'nearest' })
}
addEventListener('keydown', walk)
