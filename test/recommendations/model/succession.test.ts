import t from 'tap'
import { Succession } from '../../../src/recommendations/model/succession.js'
import { trainingSetOf } from '../../../src/recommendations/model/training-set.js'
import { interactions } from './helper.js'

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
