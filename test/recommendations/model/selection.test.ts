import t from 'tap'
import { randomFrom } from '../../../src/recommendations/model/random.js'
import { selectBest } from '../../../src/recommendations/model/selection.js'

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
