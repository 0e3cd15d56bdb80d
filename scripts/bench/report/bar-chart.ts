import { digits } from './format.js'
import { linear, ticks } from './scales.js'
import type { Ratio } from './section.js'
import { box, legend, line, picture, series, text, width } from './svg.js'

const left = 300
const right = width - 60
const top = 100
const barHeight = 14
const barGap = 5
const groupGap = 12

/** Bars for each scenario: the service relative to its references, with quartiles, goals, and a line at 1. */
export const barChart = (title: string, ratios: Ratio[]) => {
  const scenarios = [...new Set(ratios.map(({ scenario }) => scenario))]
  const references = [...new Set(ratios.map(({ to }) => to))]
  const scale = ticks(Math.max(1, ...ratios.flatMap(({ value, goal = 0 }) => [value.high, goal])))
  const x = linear(0, Math.max(...scale), left, right)

  let y = top
  const bars = scenarios.flatMap(scenario => {
    const own = ratios.filter(ratio => ratio.scenario === scenario)
    const head = text(left - 12, y + barHeight - 3, scenario, { 'text-anchor': 'end' })
    const rows = own.map(({ to, value: { median, low, high }, goal }) => {
      const middle = y + barHeight / 2
      const marks = [
        box(left, y, x(median) - left, barHeight, series(references.indexOf(to))),
        line(x(low), middle, x(high), middle, 'spread'),
        ...(goal === undefined ? [] : [line(x(goal), y - 3, x(goal), y + barHeight + 3, 'goal')]),
        text(Math.max(x(high), x(goal ?? 0)) + 6, y + barHeight - 3, digits(median), { class: 'small strong' })
      ]
      y += barHeight + barGap
      return marks.join('')
    })
    y += groupGap
    return [head, ...rows]
  })

  const grid = scale.map(
    value =>
      line(x(value), top - 8, x(value), y, 'grid') + text(x(value), y + 16, digits(value), { 'text-anchor': 'middle', class: 'small' })
  )
  return picture(
    title,
    y + 30,
    legend(
      56,
      references.map(name => `to ${name}`)
    ),
    ...grid,
    line(x(1), top - 8, x(1), y, 'axis parity'),
    ...bars,
    line(right, 18, right, 34, 'goal'),
    text(right + 8, 30, 'goal', { class: 'small' })
  )
}
