type Attributes = Record<string, string | number>

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Rounds to tenths of a pixel. */
const shown = (value: string | number) => (typeof value === 'number' ? String(Math.round(value * 10) / 10) : escaped(value))

/** Children are markup and not escaped. */
export const element = (name: string, attributes: Attributes, ...children: string[]) => {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${shown(value)}"`)
  return children.length > 0 ? `<${name}${written.join('')}>${children.join('')}</${name}>` : `<${name}${written.join('')}/>`
}

export const text = (x: number, y: number, content: string, attributes: Attributes = {}) =>
  element('text', { x, y, ...attributes }, escaped(content))
export const line = (x1: number, y1: number, x2: number, y2: number, kind: string) => element('line', { x1, y1, x2, y2, class: kind })
export const box = (x: number, y: number, width: number, height: number, kind: string) =>
  element('rect', { x, y, width: Math.max(0, width), height, class: kind })

export const width = 880
const hues = 6
/** The class for the colour of a series, as fill or as stroke. */
export const series = (n: number) => `series-${n % hues}`
export const stroke = (n: number) => `stroke-${n % hues}`

const colours = (background: string, ink: string, faint: string, goal: string, ...hues: string[]) =>
  [
    `.background{fill:${background}}`,
    `.strong{stroke:${background}}`,
    `text{fill:${ink}}`,
    `.axis{stroke:${ink};stroke-width:1}`,
    `.grid{stroke:${faint};stroke-width:1}`,
    `.spread{stroke:${ink};stroke-width:1.5}`,
    `.goal{stroke:${goal};stroke-width:2.5}`,
    ...hues.flatMap((hue, n) => [`.series-${n}{fill:${hue}}`, `.stroke-${n}{fill:none;stroke:${hue};stroke-width:2.5}`])
  ].join('')

/** Readable on light and dark pages, because the picture has its own background. */
const style = [
  'text{font:13px system-ui,"Segoe UI",Helvetica,Arial,sans-serif}',
  '.title{font-size:16px;font-weight:600}',
  '.small{font-size:11.5px}',
  '.strong{font-weight:600;paint-order:stroke;stroke-width:4;stroke-linejoin:round}',
  '.parity{stroke-dasharray:4 3}',
  colours('#ffffff', '#1f2328', '#d8dee4', '#cf222e', '#2f6feb', '#c77700', '#1a7f4b', '#8a3fd1', '#0f7f8c', '#b83280'),
  `@media (prefers-color-scheme:dark){${colours('#0d1117', '#e6edf3', '#30363d', '#ff7b72', '#6ea8ff', '#e3a33b', '#4cc38a', '#c297ff', '#4cc9d6', '#f78fc8')}}`
].join('')

export const picture = (title: string, height: number, ...children: string[]) =>
  `${element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${Math.round(height)}`, width, height, role: 'img' },
    element('title', {}, escaped(title)),
    element('style', {}, style),
    box(0, 0, width, height, 'background'),
    text(20, 30, title, { class: 'title' }),
    ...children
  )}\n`

/** A legend that wraps to a second row. */
export const legend = (top: number, names: string[]) => {
  let x = 20
  let y = top
  return names
    .map((name, n) => {
      const length = 40 + name.length * 7
      if (x + length > width) {
        x = 20
        y += 20
      }
      const entry = box(x, y - 10, 12, 12, series(n)) + text(x + 18, y, name)
      x += length
      return entry
    })
    .join('')
}
