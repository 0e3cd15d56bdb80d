import t from 'tap'
import { choose } from '../../../src/recommendations/model/choose.js'
import { someOf } from '../../../src/recommendations/model/sampling.js'
import { drifting } from './synthetic.js'

t.test('some items are as many as are wanted, any of them', async t => {
  const masks = Array.from({ length: 200 }, (_, seed) => someOf(10, 4, seed))
  t.ok(masks.every(mask => mask.reduce((sum, one) => sum + one, 0) === 4))
  const chosen = Array.from({ length: 10 }, (_, item) => masks.filter(mask => mask[item] === 1).length)
  t.ok(
    chosen.every(times => times > 50 && times < 110),
    chosen.join()
  )
  t.strictSame([...someOf(3, 3, 1)], [1, 1, 1])
})

t.test('lambda climbs while that helps, three steps at most', async t => {
  t.equal(choose(drifting({ users: 120 }), { seed: 3 }).settings.ridge.lambda, 240 * 2 ** 3)
})
