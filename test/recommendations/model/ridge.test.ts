import t from 'tap'
import { solved } from '../../../src/recommendations/model/regression.js'
import { ridgeEquations } from '../../../src/recommendations/model/ridge.js'
import { trainingSetOf } from '../../../src/recommendations/model/training-set.js'
import { interactions, tableOf } from './helper.js'

t.test('a regression solves its equations', async t => {
  const histories = [
    [0, 1, 2],
    [1, 2],
    [0, 2, 3],
    [3, 1],
    [2, 0],
    [0, 1, 2, 3]
  ]
  const set = trainingSetOf(interactions(...histories))
  const together = (i: number, j: number) => histories.filter(history => history.includes(i) && history.includes(j)).length
  const model = tableOf(solved(ridgeEquations(set, { keep: 100, users: 0 }), { lambda: 2, growth: 1 }))
  const mean = histories.flat().length / 4
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      if (i === j) {
        t.equal(model[i]?.[j], 0, 'an item is not its own neighbour')
        continue
      }
      const penalty = (2 * together(i, i)) / mean
      const left = [0, 1, 2, 3].reduce(
        (sum, k) => sum + ((model[k] as number[])[j] as number) * (together(i, k) + (i === k ? penalty : 0)),
        0
      )
      t.ok(Math.abs(left - together(i, j)) < 1e-5)
    }
  }
  const narrow = tableOf(solved(ridgeEquations(set, { keep: 1, users: 0 }, Uint8Array.from([0, 1, 0, 0])), { lambda: 2, growth: 0 }))
  t.equal(narrow.flat().filter(weight => weight !== 0).length, 1, 'one neighbour of one item')
  t.ok(Math.abs((narrow[2]?.[1] as number) - together(1, 2) / (together(2, 2) + 2)) < 1e-6, 'the most similar one')
})
