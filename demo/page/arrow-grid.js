const stops = 'a, button, input, select'

/** @type {Record<string, { x: number, y: number }>} */
const directions = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 }
}

/** @param {Element} element */
const centre = element => {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}

/** Whether a field needs the arrow key itself. @param {Element} from @param {{ x: number }} direction */
const isOfField = (from, { x }) => from.matches('select') || (from.matches('input') && x !== 0)

/** Lets the arrow keys of a remote control move the focus in a dialog to the nearest element in their direction. @param {HTMLElement} dialog */
export const walkIn = dialog =>
  dialog.addEventListener('keydown', event => {
    const direction = directions[event.key]
    const from = document.activeElement
    if (!direction || !from || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || isOfField(from, direction)) return
    const start = centre(from)
    const reachable = /** @type {HTMLElement[]} */ ([...dialog.querySelectorAll(stops)])
      .filter(stop => stop !== from && !stop.matches(':disabled') && stop.checkVisibility())
      .flatMap(stop => {
        const { x, y } = centre(stop)
        const along = (x - start.x) * direction.x + (y - start.y) * direction.y
        const aside = Math.abs((x - start.x) * direction.y) + Math.abs((y - start.y) * direction.x)
        // To the left and right, elements in the same row are preferred, because rows are closer together than columns.
        return along > 1 ? [{ stop, cost: along + (direction.x === 0 ? 2 : 5) * aside }] : []
      })
      .sort((one, other) => one.cost - other.cost)
    const [nearest] = reachable
    if (!nearest) return
    event.preventDefault()
    nearest.stop.focus()
  })
