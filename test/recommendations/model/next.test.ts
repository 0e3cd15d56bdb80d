import t from 'tap'
import { firstNext } from '../../../src/recommendations/model/hyperparameters.js'
import { NextParts } from '../../../src/recommendations/model/next.js'
import { nextEquations } from '../../../src/recommendations/model/next-equations.js'
import { solved } from '../../../src/recommendations/model/regression.js'
import { targetFactors } from '../../../src/recommendations/model/target-factors.js'
import { trainingSetOf } from '../../../src/recommendations/model/training-set.js'
import { interactions, isNear, tableOf } from './helper.js'

const histories = [
  [0, 1, 2],
  [1, 2],
  [0, 2, 3],
  [3, 1],
  [2, 0],
  [0, 1, 2, 3]
]
const set = trainingSetOf(interactions(...histories))
const items = [0, 1, 2, 3]

/** How often `i` was viewed before `j`, less with every view in between. */
const before = (i: number, j: number) =>
  histories.reduce((sum, history) => {
    const distance = history.indexOf(j) - history.indexOf(i)
    return history.includes(i) && history.includes(j) && distance > 0 ? sum + 0.8 ** (distance - 1) : sum
  }, 0)
const views = (i: number) => histories.filter(history => history.includes(i)).length

t.test('the regression of what comes next solves its equations', async t => {
  const model = tableOf(solved(nextEquations(set, { decay: 0.8, keep: 100 }), { lambda: 2, growth: 0 }))
  for (const j of items) {
    const near = items.filter(i => before(i, j) > 0)
    for (const i of near) {
      const left = near.reduce((sum, k) => {
        const together = i === k ? views(i) + 2 : 0.8 * (before(i, k) + before(k, i))
        return sum + together * ((model[k] as number[])[j] as number)
      }, 0)
      t.ok(Math.abs(left - before(i, j)) < 1e-5, `${i} before ${j}`)
    }
    t.ok(items.every(i => near.includes(i) || model[i]?.[j] === 0))
  }
  const narrow = tableOf(solved(nextEquations(set, { decay: 0.8, keep: 1 }), { lambda: 2, growth: 0 }))
  t.ok(items.every(j => narrow.filter(row => row[j] !== 0).length === 1))
})

t.test('titles with many views count less, and titles that were viewed last count more', async t => {
  const near = (list: Float64Array, wanted: number[]) => isNear([[...list]], [wanted])
  t.ok(
    near(
      targetFactors(set, { targets: 1, fresh: 0 }),
      items.map(item => 1 / views(item))
    )
  )
  const fresh = items.map(item => histories.reduce((sum, h) => (h.includes(item) ? sum + 0.6 ** (h.length - 1 - h.indexOf(item)) : sum), 0))
  const usual = fresh.reduce((a, b) => a + b) / histories.flat().length
  t.ok(
    near(
      targetFactors(set, { targets: 0, fresh: 1 }),
      items.map(item => ((fresh[item] as number) + 10 * usual) / (views(item) + 10) / usual)
    )
  )
  t.strictSame(
    [...targetFactors(trainingSetOf({ itemCount: 1, starts: Uint32Array.of(0), items: new Uint32Array(0) }), { targets: 1, fresh: 1 })],
    [1]
  )
})

t.test('the parts add up, and each target has its factor', async t => {
  const parts = new NextParts(set, firstNext)
  const total = (table: number[][]) => table.reduce((sum, row, i) => sum + views(i) * row.reduce((a, b) => a + Math.abs(b), 0), 0)
  const { first, second, ...sides } = parts.sides(firstNext)
  const regression = tableOf({ ...sides, weights: first })
  const chain = tableOf({ ...sides, weights: second })
  t.ok(
    [regression, chain].every(table => Math.abs(total(table) - histories.flat().length) < 1e-4),
    'both have the same total'
  )
  t.equal(
    parts.sides(firstNext),
    parts.sides({ lambda: firstNext.lambda, growth: firstNext.growth }),
    'the sides are computed once for each lambda'
  )

  const factors = targetFactors(set, { targets: 0.3, fresh: 0.5 })
  const sums = regression.map((row, i) => row.map((value, j) => (value + 0.7 * (chain[i]?.[j] as number)) * (factors[j] as number)))
  const wanted = sums.map(row => row.map(value => (value * histories.flat().length) / total(sums)))
  t.ok(isNear(tableOf(parts.together({ ...firstNext, chain: 0.7, targets: 0.3, fresh: 0.5 })), wanted))
})
