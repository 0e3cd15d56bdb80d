import t from 'tap'
import { BlendScorer } from '../../../src/recommendations/model/blend-scorer.js'
import { historyOf, randomFrom, Scorer, StrongestLinks } from '../../../src/recommendations/model/index.js'
import { blendOf, type Neighbours, nothing, sorted, weighted } from '../../../src/recommendations/model/neighbours.js'
import { rowsOf } from './helper.js'

const titles = 30
const rounds = 300

const pick = (random: () => number) => Math.floor(random() * titles)

const neighboursOf = (random: () => number): Neighbours =>
  sorted(
    rowsOf(
      ...Array.from({ length: titles }, () => {
        const targets = new Set(Array.from({ length: 6 }, () => pick(random)))
        return [...targets].map((target): [number, number] => [target, 0.01 + random()])
      })
    )
  )

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
    const [chosen] = new BlendScorer(blendOf(next, liked)).best(
      { items: Uint32Array.from(watched), first: history.next as Float64Array, second: history.liked as Float64Array },
      [share],
      5,
      () => true
    )
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
        const because = watched[new StrongestLinks(blendOf(next, liked)).of(history, item)] as number
        return [next, liked].some(({ starts, targets }) => targets.subarray(starts[because], starts[because + 1]).includes(item))
      })
    )
  }
  t.strictSame(failures, [])
})
