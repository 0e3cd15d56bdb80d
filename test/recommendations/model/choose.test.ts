import t from 'tap'
import { viewersOf } from '../../../scripts/spark/viewers.js'
import { choose } from '../../../src/recommendations/model/choose.js'
import { chooseNext } from '../../../src/recommendations/model/choose-next.js'
import { firstNext, type Hyperparameters } from '../../../src/recommendations/model/hyperparameters.js'
import type { Interactions } from '../../../src/recommendations/model/interactions.js'
import { randomFrom, someOf } from '../../../src/recommendations/model/sampling.js'
import { interactions } from './helper.js'
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

/** What was the best after each trial for the half-life of what comes next. These trials follow the first three. */
const halfLifeTrials = (data: Interactions) => {
  const best: Hyperparameters[] = []
  chooseNext(data, { seed: 1, onTrial: (_done, _total, settings) => best.push(settings) })
  return { before: best[2]?.next, after: best.slice(3, 6).map(({ next }) => next), count: best.length }
}

t.test('where the last title matters most, only one longer half-life is tried', async t => {
  const histories = [...viewersOf({ viewers: 400, titles: 200, views: 20, group: 40 })]
  const { before, after, count } = halfLifeTrials(interactions(...histories))
  t.match([before, after[0]], [{ halfLife: 1 }, { halfLife: 1 }])
  t.equal(count, 13)
})

t.test('where several series are watched in turn, more of the past matters', async t => {
  const random = randomFrom(3)
  const histories = Array.from({ length: 400 }, () => {
    const first = Math.floor(random() * 8)
    const series = [0, 1, 2, 3].map(nth => ({ series: (first + nth) % 8, part: Math.floor(random() * 20) }))
    return Array.from({ length: 12 }, (_, view) => {
      const { series: one, part } = series[view % 4] as (typeof series)[number]
      return one * 23 + part + Math.floor(view / 4)
    })
  })
  const { before, after, count } = halfLifeTrials(interactions(...histories))
  t.match(after, [{ halfLife: 2 }, { halfLife: 3 }, { halfLife: 6 }])
  t.not(after[0]?.chain, before?.chain, 'the share of the chain is chosen again')
  t.equal(count, 15)
})

t.test('too few viewers choose nothing', async t => {
  // What each viewer watched last, nobody watched before. Two find it all the same, by chance.
  const histories = [[0, 1, 9], [0, 1, 9], ...Array.from({ length: 10 }, (_, at) => [0, 1, 10 + at])]
  for (const data of [interactions(), interactions(...histories)]) t.strictSame(chooseNext(data, { seed: 1 }).settings.next, firstNext)
})
