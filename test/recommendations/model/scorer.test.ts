import t from 'tap'
import { Scorer } from '../../../src/recommendations/model/index.js'

const neighbours = {
  starts: Uint32Array.from([0, 3, 5, 6, 6, 7]),
  targets: Uint32Array.from([1, 2, 3, 0, 2, 3, 3]),
  weights: Float32Array.from([0.5, 0.25, 1, 0.25, 0.5, -1, 0.75])
}

const all = () => true

t.test('items are in the order of what the history says for them, the lower number first among equals', async t => {
  const scorer = new Scorer(neighbours)
  t.strictSame(scorer.best({ items: [0] }, 10, all), [
    { item: 3, score: 1 },
    { item: 1, score: 0.5 },
    { item: 2, score: 0.25 }
  ])
  t.strictSame(
    scorer.best({ items: [1, 0] }, 2, item => item !== 3),
    [
      { item: 2, score: 0.75 },
      { item: 1, score: 0.5 }
    ]
  )
  t.strictSame(
    scorer.best({ items: [0, 1], weights: [1, 0.5] }, 2, item => item !== 3),
    [
      { item: 1, score: 0.5 },
      { item: 2, score: 0.5 }
    ]
  )
  t.strictSame(scorer.best({ items: Uint32Array.of(3) }, 10, all), [], 'an item without neighbours says nothing')
  t.strictSame(scorer.best({ items: [] }, 10, all), [])
  t.strictSame(scorer.best({ items: [0] }, 0, all), [])
})

t.test('what the history speaks against is not there, and an item whose score was 0 in between is there once', async t => {
  const scorer = new Scorer(neighbours)
  t.strictSame(scorer.best({ items: [2] }, 10, all), [])
  t.strictSame(
    scorer.best({ items: [0, 2, 4, 2, 4, 4] }, 10, all).map(({ item, score }) => [item, score]),
    [
      [3, 1.25],
      [1, 0.5],
      [2, 0.25]
    ]
  )
  t.strictSame(scorer.best({ items: [0, 1], weights: [0, 0] }, 10, all), [])
  t.strictSame(scorer.best({ items: [0] }, 1, all), [{ item: 3, score: 1 }], 'and nothing is left for the next one')
})

t.test('the reason is the element that speaks most for an item', async t => {
  const scorer = new Scorer(neighbours)
  t.equal(scorer.reason({ items: [0, 1] }, 2), 1)
  t.equal(scorer.reason({ items: [0, 1], weights: [1, 0.1] }, 2), 0)
  t.equal(scorer.reason({ items: [2, 0, 4] }, 3), 1)
  t.equal(scorer.reason({ items: [2, 3] }, 3), -1, 'none where all speak against it')
  t.equal(scorer.reason({ items: [4] }, 4), -1)
})
