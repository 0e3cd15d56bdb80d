import t from 'tap'
import { trainingSetOf } from '../../../src/recommendations/model/interactions.js'
import { balanced, selectBest } from '../../../src/recommendations/model/neighbours.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { interactions, rowsOf, tableOf } from './helper.js'

t.test('rows become columns', async t => {
  const one = rowsOf(
    [[1, 2]],
    [],
    [
      [1, 3],
      [0, 4]
    ]
  )
  t.strictSame(tableOf(one.reversed()), [
    [0, 0, 4],
    [2, 0, 3],
    [0, 0, 0]
  ])
  const wide = rowsOf(Array.from({ length: 1 << 17 }, () => [0, 1]))
  t.equal(wide.reversed().targets.length, 1 << 17, 'with room for many links')
})

t.test('the best are selected, of equals the lower number', async t => {
  const random = randomFrom(3)
  for (let round = 0; round < 50; round++) {
    const values = Float64Array.from({ length: 40 }, () => Math.floor(random() * 12))
    const items = Uint32Array.from(values, (_, item) => item).sort(() => random() - 0.5)
    const wanted = [...items].sort((a, b) => (values[b] as number) - (values[a] as number) || a - b).slice(0, 10)
    t.equal(selectBest(items, 40, values, 10), 10)
    t.strictSame([[...items.subarray(0, 10)].sort(), new Set(items).size], [wanted.sort(), 40], 'no item is lost')
  }
  t.equal(selectBest(new Uint32Array(3), 3, new Float64Array(3), 3), 3)
})

t.test('tables are balanced by their views, whatever the sign of their weights', async t => {
  // Item 0 has two viewers, the others one.
  const set = trainingSetOf(interactions([0, 1], [0, 2]))
  const table = rowsOf([[1, 3]], [[2, -2]], []).sorted()
  t.strictSame(tableOf(balanced(set, table)), [
    [0, 1.5, 0],
    [0, 0, -1],
    [0, 0, 0]
  ])
  t.strictSame(tableOf(balanced(set, rowsOf([], [], []).sorted())).flat(), Array(9).fill(0), 'nothing stays nothing')
})
