import t from 'tap'
import { chain } from '../../../src/recommendations/model/chain.js'
import { trainingSetOf } from '../../../src/recommendations/model/training-set.js'
import { interactions, isNear, tableOf } from './helper.js'

t.test('a chain is what came after, a little of what came before, and less for what much came after', async t => {
  const set = trainingSetOf(interactions([0, 1, 2], [0, 2], [1, 0]))
  const shape = { decay: 0.5, back: 0.1, sources: 0.5, keep: 9 }
  // By source: [what came after and 0.1 times what came before], and the total of what came after.
  const raw = [
    [0, 1 + 0.1, 0.5 + 1],
    [1 + 0.1, 0, 1],
    [0.1 * 1.5, 0.1, 0]
  ]
  const totals = [2.5, 2, 0]
  const table = raw.map((row, source) => row.map(value => value / Math.sqrt((totals[source] as number) + 2)))
  const views = [3, 2, 2]
  const sum = table.reduce((sum, row, source) => sum + (views[source] as number) * row.reduce((a, b) => a + b, 0), 0)
  const wanted = table.map(row => row.map(value => (value * 7) / sum))
  t.ok(isNear(tableOf(chain(set, shape)), wanted))
  t.strictSame(
    tableOf(chain(set, { ...shape, keep: 1 })).map(row => row.filter(value => value > 0).length),
    [1, 1, 1]
  )
})
