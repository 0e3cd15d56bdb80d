import t from 'tap'
import { aged } from '../../../src/recommendations/model/ageing.js'

t.test('ageing halves with every half life', async t => {
  t.strictSame([...aged(3, 1)], [0.25, 0.5, 1])
  t.strictSame([...aged(2, Number.POSITIVE_INFINITY, [0.5, 0.25])], [0.5, 0.25])
})
