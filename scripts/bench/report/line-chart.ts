import type { Measure } from '../measures/statistics.js'
import { digits, grouped } from './format.js'
import { apart, linear, logarithmic, ticks } from './scales.js'
import { element, line, picture, series, stroke, text, width } from './svg.js'

interface Point {
  x: number
  y: Measure
}

interface Lines {
  title: string
  xTitle: string
  yTitle: string
  lines: { name: string; points: Point[] }[]
}

const left = 70
const right = width - 290
const top = 72
const bottom = 320

/** Curves over a logarithmic size axis, with quartiles. */
export const lineChart = ({ title, xTitle, yTitle, lines }: Lines) => {
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
  const scale = ticks(Math.max(...lines.flatMap(({ points }) => points.map(({ y }) => y.high))))
  const x = logarithmic(Math.min(...sizes), Math.max(...sizes), left + 20, right)
  const y = linear(0, Math.max(...scale), bottom, top)

  const grid = scale.map(
    value =>
      line(left, y(value), right + 10, y(value), 'grid') +
      text(left - 8, y(value) + 4, digits(value), { 'text-anchor': 'end', class: 'small' })
  )
  const labels = sizes.map(size => text(x(size), bottom + 20, grouped(size), { 'text-anchor': 'middle', class: 'small' }))
  const places = apart(
    lines.map(({ points }) => y((points.at(-1) as Point).y.median)),
    16
  )
  const curves = lines.map(({ name, points }, n) =>
    [
      element('polyline', {
        points: points.map(point => `${x(point.x).toFixed(1)},${y(point.y.median).toFixed(1)}`).join(' '),
        class: stroke(n)
      }),
      ...points.map(point => line(x(point.x), y(point.y.low), x(point.x), y(point.y.high), 'spread')),
      ...points.map(point => element('circle', { cx: x(point.x), cy: y(point.y.median), r: 4, class: series(n) })),
      text(right + 20, (places[n] as number) + 4, name, { class: `small strong ${series(n)}` })
    ].join('')
  )
  return picture(
    title,
    bottom + 56,
    ...grid,
    ...labels,
    text((left + right) / 2, bottom + 42, xTitle, { 'text-anchor': 'middle' }),
    text(left - 8, top - 12, yTitle, { 'text-anchor': 'end' }),
    ...curves
  )
}
