import t from 'tap'
import { historyOf, Scorer } from '../../../src/recommendations/model/index.js'
import { history, links, twoSided } from './helper.js'

const all = () => true

t.test('items are in the order of what the history says for them, the lower number first among equals', async t => {
  const scorer = new Scorer(links)
  t.strictSame(scorer.best(history([0]), 10, all), [
    { item: 3, score: 1 },
    { item: 1, score: 0.5 },
    { item: 2, score: 0.25 }
  ])
  t.strictSame(
    scorer.best(history([1, 0]), 2, item => item !== 3),
    [
      { item: 2, score: 0.75 },
      { item: 1, score: 0.5 }
    ]
  )
  t.strictSame(
    scorer.best(history([0, 1], [1, 0.5]), 2, item => item !== 3),
    [
      { item: 1, score: 0.5 },
      { item: 2, score: 0.5 }
    ]
  )
  t.strictSame(scorer.best(history([3]), 10, all), [], 'an item without neighbours recommends nothing')
  t.strictSame(scorer.best(history([]), 10, all), [])
  t.strictSame(scorer.best(history([0]), 0, all), [])
})

t.test('items with a negative score are left out, and one whose score passes through 0 is listed once', async t => {
  const scorer = new Scorer(links)
  t.strictSame(scorer.best(history([2]), 10, all), [])
  t.strictSame(
    scorer.best(history([0, 2, 4, 2, 4, 4]), 10, all).map(({ item, score }) => [item, score]),
    [
      [3, 1.25],
      [1, 0.5],
      [2, 0.25]
    ]
  )
  t.strictSame(scorer.best(history([0, 1], [0, 0]), 10, all), [])
  t.strictSame(scorer.best(history([0]), 1, all), [{ item: 3, score: 1 }], 'nothing is left over for the next request')
})

t.test('what comes next and what is liked are added up, each aged on its own', async t => {
  const both = new Scorer(twoSided)
  const fast = historyOf([0, 1], { next: 1, liked: Number.POSITIVE_INFINITY })
  t.strictSame(fast, { items: [0, 1], next: Float64Array.of(0.5, 1), liked: Float64Array.of(1, 1) })
  t.strictSame(both.best(fast, 2, all), [
    { item: 3, score: 5 },
    { item: 2, score: 4.5 }
  ])
  const interests = historyOf([0, 1], { next: 1, liked: 2 }, [0.5, 0.25])
  t.strictSame([...Array.from(interests.next), ...Array.from(interests.liked)], [0.25, 0.25, 0.5 * 2 ** -0.5, 0.25])
})
