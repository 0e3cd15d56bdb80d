import t from 'tap'
import { firstNext } from '../../../src/recommendations/model/hyperparameters.js'
import { trainingSetOf } from '../../../src/recommendations/model/interactions.js'
import { NextParts, nextEquations, targetFactors } from '../../../src/recommendations/model/next.js'
import { solved } from '../../../src/recommendations/model/regression.js'
import { chain, Succession } from '../../../src/recommendations/model/succession.js'
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

const counted = (succession: Succession, item: number) => {
  succession.count(item)
  const { items, size, before, after } = succession
  return [...items.subarray(0, size)].sort((a, b) => a - b).map(other => [other, before[other], after[other]])
}

t.test('a view before or after an item counts less with every view in between', async t => {
  const succession = new Succession(trainingSetOf(interactions([0, 1, 2, 3], [2, 1], [4])), distance => 0.5 ** (distance - 1))
  t.strictSame(counted(succession, 1), [
    [0, 1, 0],
    [2, 1, 1],
    [3, 0, 0.5]
  ])
  t.strictSame(counted(succession, 0), [
    [1, 0, 1],
    [2, 0, 0.5],
    [3, 0, 0.25]
  ])
  t.strictSame(counted(succession, 4), [], 'earlier counts leave nothing behind')
})

t.test('views that are far away do not count', async t => {
  const history = Array.from({ length: 60 }, (_, item) => item)
  const succession = new Succession(trainingSetOf(interactions(history)), () => 1)
  t.strictSame(
    counted(succession, 30).map(([other]) => other),
    history.filter(item => item !== 30 && Math.abs(item - 30) <= 20)
  )
})

t.test('a chain is what came after and a little of what came before, less by the distance, and less for what much came after', async t => {
  const set = trainingSetOf(interactions([0, 1, 2], [0, 2], [1, 0]))
  const shape = { distance: 1, back: 0.1, counts: 0.7, sources: 0.5, keep: 9 }
  // By source: what came after and 0.1 times what came before. Two views apart counts half.
  const raw = [
    [0, 1 + 0.1, 0.5 + 1],
    [1 + 0.1, 0, 1],
    [0.1 * 1.5, 0.1, 0]
  ]
  const table = raw.map(row => row.map(value => value ** 0.7 / Math.sqrt(row.reduce((a, b) => a + b, 2))))
  const views = [3, 2, 2]
  const sum = table.reduce((sum, row, source) => sum + (views[source] as number) * row.reduce((a, b) => a + b, 0), 0)
  const wanted = table.map(row => row.map(value => (value * 7) / sum))
  t.ok(isNear(tableOf(chain(set, shape)), wanted))
  t.strictSame(
    tableOf(chain(set, { ...shape, keep: 1 })).map(row => row.filter(value => value > 0).length),
    [1, 1, 1]
  )
})
