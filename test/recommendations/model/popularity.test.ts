import t from 'tap'
import { byPopularity, firstOf } from '../../../src/recommendations/model/popularity.js'
import { interactions } from './helper.js'

t.test('popularity', async t => {
  const order = byPopularity(interactions([1, 2], [2, 0], [2, 3], [3]))
  t.strictSame([...order], [2, 3, 0, 1])
  t.strictSame(
    firstOf(order, 2, item => item !== 3),
    [2, 0]
  )
  t.strictSame(
    firstOf(order, 9, () => true),
    [2, 3, 0, 1]
  )
})
