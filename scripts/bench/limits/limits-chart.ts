import { quantile } from '../measures/statistics.js'
import { grouped } from '../report/format.js'
import { linear, ticks } from '../report/scales.js'
import { box, legend, line, picture, series, text, width } from '../report/svg.js'
import type { LimitRound } from './limits.js'

const left = 190
const right = width - 40
const top = 84
const barHeight = 34
const gap = 18
const kept = 0.8

/** The outcomes of a second's requests, at half of the maximum, at the maximum and at twice the maximum. */
export const limitsChart = (rounds: LimitRound[]) => {
  const over = (value: (round: LimitRound) => number) => quantile(rounds.map(value), 0.5)
  const peak = over(({ peak }) => peak)
  const partsOf = (at: 'half' | 'twice') => {
    const offered = over(round => round[at].offered)
    const succeeded = over(round => round[at].succeeded)
    const refused = over(round => round[at].refused)
    return [succeeded, refused, Math.max(0, offered - succeeded - refused)]
  }
  const bars: [string, number[]][] = [
    ['half of the maximum', partsOf('half')],
    ['the maximum', [peak]],
    ['twice the maximum', partsOf('twice')]
  ]
  const scale = ticks(Math.max(...bars.map(([, parts]) => parts.reduce((sum, part) => sum + part, 0))))
  const x = linear(0, Math.max(...scale), left, right)
  const bottom = top + bars.length * (barHeight + gap)

  return picture(
    'Requests per second at and beyond the limit, GET /history',
    bottom + 46,
    legend(56, ['successes', '503 within 100 ms', 'later or no response']),
    ...scale.map(
      value =>
        line(x(value), top - 8, x(value), bottom, 'grid') +
        text(x(value), bottom + 16, grouped(value), { 'text-anchor': 'middle', class: 'small' })
    ),
    ...bars.map(([name, parts], row) => {
      const y = top + row * (barHeight + gap)
      let done = 0
      const drawn = parts.map((part, n) => {
        const from = x(done)
        done += part
        return box(from, y, x(done) - from, barHeight, series(n))
      })
      return text(left - 12, y + barHeight / 2 + 5, name, { 'text-anchor': 'end' }) + drawn.join('')
    }),
    line(x(peak * kept), top - 8, x(peak * kept), bottom, 'goal'),
    text(x(peak * kept), bottom + 34, 'goal: 80 % of the maximum', { 'text-anchor': 'middle', class: 'small' })
  )
}
