import t from 'tap'
import { BlendScorer } from '../../../src/recommendations/model/blend-scorer.js'
import { type Blend, blendOf, type Neighbours, nothing, weighted } from '../../../src/recommendations/model/neighbours.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { aged, historyOf, Scorer } from '../../../src/recommendations/model/scorer.js'
import { history, links, rowsOf, twoSided } from './helper.js'

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

t.test('the strongest link is that of the element that adds most to the score of an item', async t => {
  const scorer = new Scorer(links)
  t.equal(scorer.strongest(history([0, 1]), 2), 1)
  t.equal(scorer.strongest(history([0, 1], [1, 0.1]), 2), 0)
  t.equal(scorer.strongest(history([2, 0, 4]), 3), 1)
  t.equal(scorer.strongest(history([0, 4, 0, 4]), 3), 0, 'the oldest of equally strong ones')
  t.equal(scorer.strongest(history([2, 3]), 3), -1, 'none if all weights are negative')
  t.equal(scorer.strongest(history([4]), 4), -1)
  t.equal(scorer.strongest(history([1], [0]), 2), -1, 'an item without interest does not count')
})

t.test('what comes next and what is liked are added up', async t => {
  const scorer = new Scorer(twoSided)
  const watched = historyOf([0, 1], { next: 1, liked: Number.POSITIVE_INFINITY })
  t.equal(scorer.strongest(watched, 3), 0)
  t.equal(scorer.strongest(watched, 2), 1)
})

const size = 20

/** Few different weights, so that many are equal. */
const tiedNeighboursOf = (random: () => number) => {
  const pick = (count: number) => Math.floor(random() * count)
  const row = () => [...new Set(Array.from({ length: 8 }, () => pick(size)))].map((target): [number, number] => [target, pick(4) - 1])
  return rowsOf(...Array.from({ length: size }, row)).sorted()
}

const strengthOf = ({ starts, targets, first, second }: Blend, item: number, target: number, next: number, liked: number) => {
  const place = targets.indexOf(target, starts[item])
  return place < 0 || place >= (starts[item + 1] as number) ? 0 : next * (first[place] as number) + liked * (second[place] as number)
}

t.test('no stronger link is missed', async t => {
  const failures: string[] = []
  for (let round = 1; round <= 200; round++) {
    const random = randomFrom(round)
    const blend = blendOf(tiedNeighboursOf(random), tiedNeighboursOf(random))
    const scorer = new Scorer(blend)
    const items = Array.from({ length: 10 }, () => Math.floor(random() * size))
    const watched = historyOf(items, { next: 1 + random(), liked: round % 2 ? Number.POSITIVE_INFINITY : 5 })
    for (let target = 0; target < size; target++) {
      const strengths = items.map((item, at) => strengthOf(blend, item, target, watched.next[at] as number, watched.liked[at] as number))
      const most = Math.max(...strengths)
      const expected = most > 0 ? strengths.indexOf(most) : -1
      const found = scorer.strongest(watched, target)
      if (found !== expected) failures.push(`round ${round}, title ${target}: ${found} instead of ${expected}`)
    }
  }
  t.strictSame(failures, [])
})

const titles = 30
const rounds = 300

const pick = (random: () => number) => Math.floor(random() * titles)

const neighboursOf = (random: () => number): Neighbours =>
  rowsOf(
    ...Array.from({ length: titles }, () => {
      const targets = new Set(Array.from({ length: 6 }, () => pick(random)))
      return [...targets].map((target): [number, number] => [target, 0.01 + random()])
    })
  ).sorted()

const scoresOf = (scorer: Scorer, history: ReturnType<typeof historyOf>) => {
  const scores = Array<number>(titles).fill(0)
  for (const { item, score } of scorer.best(history, titles, () => true)) scores[item] = score
  return scores
}

/** Weights are stored with 24 bits. */
const isNear = (one: number, other: number) => Math.abs(one - other) <= 1e-5 * Math.max(1, Math.abs(one))
const failures: string[] = []
const check = (what: string, round: number, is: boolean) => {
  if (!is) failures.push(`${what} in round ${round}`)
}

t.test('whatever is blended, and whatever was watched', async t => {
  for (let round = 1; round <= rounds; round++) {
    const random = randomFrom(round)
    const [next, liked] = [neighboursOf(random), neighboursOf(random)]
    const halfLives = { next: 0.5 + 4 * random(), liked: 5 + 20 * random() }
    const watched = [...new Set(Array.from({ length: 1 + Math.floor(random() * 10) }, () => pick(random)))]
    const history = historyOf(watched, halfLives)
    const scores = scoresOf(new Scorer(blendOf(next, liked)), history)

    const ofNext = scoresOf(new Scorer(blendOf(next, nothing(titles))), history)
    const ofLiked = scoresOf(new Scorer(blendOf(nothing(titles), liked)), history)
    check(
      'the score is the sum of both sides',
      round,
      scores.every((score, item) => isNear(score, (ofNext[item] as number) + (ofLiked[item] as number)))
    )

    const share = 0.1 + 3 * random()
    const [chosen] = new BlendScorer(blendOf(next, liked)).best(history, [share], 5, () => true)
    const served = new Scorer(blendOf(next, weighted(liked, share))).best(history, 5, () => true)
    check('what is chosen is what is served', round, JSON.stringify(chosen) === JSON.stringify(served.map(({ item }) => item)))

    const last = pick(random)
    const before = scoresOf(new Scorer(blendOf(next, liked)), historyOf([last, ...watched.filter(item => item !== last)], halfLives))
    const after = scoresOf(new Scorer(blendOf(next, liked)), historyOf([...watched.filter(item => item !== last), last], halfLives))
    const neighbours = next.targets.subarray(next.starts[last], next.starts[last + 1])
    const gain = (item: number) => (after[item] as number) - (before[item] as number)
    const others = watched.filter(item => item !== last)
    if (others.length === 0) continue
    const saysNothing = (item: number) =>
      others.every(other =>
        [next, liked].every(({ starts, targets }) => !targets.subarray(starts[other], starts[other + 1]).includes(item))
      )
    check(
      'what follows the newest title gains by its being the newest',
      round,
      [...neighbours].filter(saysNothing).every(item => gain(item) > 0)
    )

    const best = new Scorer(blendOf(next, liked)).best(history, 5, () => true)
    check(
      'the reason of a recommendation is a watched title that leads to it',
      round,
      best.every(({ item }) => {
        const because = watched[new Scorer(blendOf(next, liked)).strongest(history, item)] as number
        return [next, liked].some(({ starts, targets }) => targets.subarray(starts[because], starts[because + 1]).includes(item))
      })
    )
  }
  t.strictSame(failures, [])
})

t.test('ageing halves with every half life', async t => {
  t.strictSame([...aged(3, 1)], [0.25, 0.5, 1])
  t.strictSame([...aged(2, Number.POSITIVE_INFINITY, [0.5, 0.25])], [0.5, 0.25])
})
