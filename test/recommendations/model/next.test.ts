import t from 'tap'
import { trainingSetOf, viewCounts } from '../../../src/recommendations/model/interactions.js'
import { freshnessOf, nextEquations } from '../../../src/recommendations/model/next.js'
import { solved } from '../../../src/recommendations/model/regression.js'
import { chain, followers, Succession } from '../../../src/recommendations/model/succession.js'
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

t.test('titles that more of their viewers than usual watched last are fresh', async t => {
  const fresh = items.map(item => histories.reduce((sum, h) => (h.includes(item) ? sum + 0.6 ** (h.length - 1 - h.indexOf(item)) : sum), 0))
  const usual = fresh.reduce((a, b) => a + b) / histories.flat().length
  const wanted = items.map(item => ((fresh[item] as number) + 10 * usual) / (views(item) + 10) / usual)
  const found = freshnessOf(set, viewCounts(set))
  t.ok(isNear([[...found]], [wanted]), `${found}`)
  t.ok((found[3] as number) > 1 && (found[0] as number) < 1)
  const nothing = trainingSetOf({ itemCount: 1, starts: Uint32Array.of(0), items: new Uint32Array(0) })
  t.strictSame([...freshnessOf(nothing, viewCounts(nothing))], [0], 'but nothing is where nothing was watched')
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
  const apart = 2 ** -0.5
  // By source: what came after and 0.2 times what came before.
  const raw = [
    [0, 1 + 0.2, apart + 1],
    [1 + 0.2, 0, 1],
    [0.2 * (1 + apart), 0.2, 0]
  ]
  const table = raw.map(row => row.map(value => value ** 0.7 / row.reduce((a, b) => a + b, 2) ** 0.2))
  const views = [3, 2, 2]
  const sum = table.reduce((sum, row, source) => sum + (views[source] as number) * row.reduce((a, b) => a + b, 0), 0)
  const wanted = table.map(row => row.map(value => (value * 7) / sum))
  t.ok(isNear(tableOf(chain(set, 9)), wanted))
  t.strictSame(
    tableOf(chain(set, 1)).map(row => row.map(value => value > 0)),
    [
      [false, false, true],
      [true, false, false],
      [true, false, false]
    ]
  )
})

t.test('followers are the share of those who went on, and sure only where all of at least three did', async t => {
  const histories = [
    // All three who went on from 0 went on to 2, two of them to 3.
    [0, 2, 3],
    [0, 3, 2],
    [0, 2],
    // Whoever watched 0 last does not count.
    [5, 0],
    // Only two went on from 1, both to 4.
    [1, 4],
    [1, 4]
  ]
  const set = trainingSetOf(interactions(...histories))
  const wanted = [
    [0, 0, 1, 2 / 5, 0, 0],
    [0, 0, 0, 0, 2 / 4, 0],
    [0, 0, 0, 1 / 3, 0, 0],
    [0, 0, 1 / 3, 0, 0, 0],
    [0, 0, 0, 0, 0, 0],
    [1 / 3, 0, 0, 0, 0, 0]
  ]
  t.ok(isNear(tableOf(followers(set, 9)), wanted))
  t.equal(followers(set, 9).targets.length, 6, 'what was watched only before is no follower')
  t.strictSame([...followers(set, 1).targets], [2, 4, 3, 2, 0], 'the largest shares are kept')
  const fourth = trainingSetOf(interactions(...histories, [0, 3]))
  t.ok(isNear([tableOf(followers(fourth, 9))[0] as number[]], [[0, 0, 3 / 6, 3 / 6, 0, 0]]), 'one who went elsewhere makes it unsure')
})

t.test('what comes much later is no follower', async t => {
  const between = (from: number) => Array.from({ length: 20 }, (_, at) => from + at)
  const set = trainingSetOf(interactions([0, ...between(10), 1], [0, ...between(40), 1], [0, ...between(70), 1]))
  t.equal(tableOf(followers(set, 99))[0]?.[1], 0)
})
