import t from 'tap'
import { trainingSetOf } from '../../../src/recommendations/model/interactions.js'
import { surroundings } from '../../../src/recommendations/model/succession.js'
import { interactions } from './helper.js'

t.test('surroundings have each item once, however often it was viewed further away', async t => {
  const history = Array.from({ length: 20 }, (_, item) => item)
  const { starts, targets } = surroundings(trainingSetOf(interactions(history, history, history)), 'after', 50)
  t.strictSame([...targets.subarray(starts[0], starts[1])], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  t.strictSame([...targets.subarray(starts[17], starts[18])], [18, 19])
})

t.test('what is further away takes no place of what is near', async t => {
  const history = Array.from({ length: 20 }, (_, item) => item)
  const near = [0, 5, 11, 12]
  const { starts, targets } = surroundings(trainingSetOf(interactions(history, history, near)), 'after', 2)
  t.strictSame([...targets.subarray(starts[0], starts[1])], [1, 5])
})
