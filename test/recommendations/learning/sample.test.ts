import t from 'tap'
import { Sample } from '../../../src/recommendations/learning/sample.js'

const historyOf = (...ids: number[]) => ({ ids, weights: ids.map(id => id / 1000) })

t.test('histories that fit are all in the sample, in their order', async t => {
  const sample = new Sample(5)
  sample.add(historyOf(700, 300))
  sample.add(historyOf(300, 500, 700))
  t.strictSame(sample.interactions(), {
    itemCount: 3,
    starts: Uint32Array.of(0, 2, 5),
    items: Uint32Array.of(0, 1, 1, 2, 0),
    weights: Float32Array.of(0.7, 0.3, 0.3, 0.5, 0.7)
  })
})

t.test('a sample of more users is about half full or more, and has as many of the first as of the last', async t => {
  for (const seed of [1, 2, 3]) {
    const sample = new Sample(2000, seed)
    for (let user = 0; user < 20_000; user++) sample.add(historyOf(user + 1, user + 1))
    const { starts, items, weights = [] } = sample.interactions()
    t.ok(items.length <= 2000 && items.length > 600, `${items.length} events`)
    t.equal(starts.at(-1), items.length)
    const early = weights.filter(weight => weight < 10).length / weights.length
    t.ok(early > 0.4 && early < 0.6, `${early} are of the first half`)
  }
})

t.test('one user alone may be too many', async t => {
  const sample = new Sample(2)
  sample.add(historyOf(1, 2, 3))
  t.equal(sample.interactions().items.length, 3)
})
