import t from 'tap'
import { chain } from '../../../src/recommendations/model/chain.js'
import { trainingSetOf } from '../../../src/recommendations/model/training-set.js'
import { interactions, isNear, tableOf } from './helper.js'

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
