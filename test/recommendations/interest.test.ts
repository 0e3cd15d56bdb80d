import t from 'tap'
import { interestOf } from '../../src/recommendations/interest.js'
import { interest } from './helper.js'

t.test('how much interest an element of history tells of', async t => {
  for (const [time, percentage, expected] of [
    [0, 0, 0],
    [59, 0, 0],
    [60, 0, 0.5],
    [9000, 0, 0.5],
    [9000, 4.99, 0],
    [0, 4.99, 0],
    [0, 5, 0.4 + 0.6 * (5 / 90)],
    [10, 45, 0.7],
    [10, 90, 1],
    [10, 95, 1],
    [10, 100, 1]
  ] as [number, number, number][])
    t.ok(Math.abs(interestOf(time, percentage, interest) - expected) < 1e-9, `${time} s, ${percentage} %`)
})

t.test('grows with what was watched', async t => {
  const all = Array.from({ length: 96 }, (_, i) => interestOf(100, i + 5, interest))
  t.strictSame(
    all,
    [...all].sort((a, b) => a - b)
  )
  t.ok(all.every(value => value > 0 && value <= 1))
})

t.test('follows the settings', async t => {
  t.equal(interestOf(1000, 60, { completedAt: 60, interestFrom: 5 }), 1)
  t.equal(interestOf(1000, 60, { completedAt: 90, interestFrom: 61 }), 0)
  t.ok(interestOf(1000, 0.1, { completedAt: 90, interestFrom: 0 }) > 0, 'with 0, every started content counts')
})
