import t from 'tap'
import { holdOut, pastIn, splitByTime } from '../../../src/recommendations/model/evaluation.js'
import { Histories, type Interactions, interactionsOf } from '../../../src/recommendations/model/interactions.js'
import { withNewcomers } from '../../../src/recommendations/model/newcomers.js'
import { featureCount, Ranker } from '../../../src/recommendations/model/ranker.js'
import { type RecentOf, recentViews, ViewsByDay } from '../../../src/recommendations/model/recent.js'
import { randomFrom, shuffled } from '../../../src/recommendations/model/sampling.js'
import { train } from '../../../src/recommendations/model/train.js'
import { all, historiesOf, interactions, itemsOf, rankingOf } from './helper.js'

const day = 24 * 60 * 60 * 1000

/** Histories of items, each with the day of its view. */
const dated = (...histories: [item: number, day: number][][]): Interactions => ({
  ...interactions(...histories.map(history => history.map(([item]) => item))),
  days: Uint16Array.from(histories.flat(), ([, day]) => day)
})

const listOf = (recentOf: RecentOf, item: number) => recentOf(item)

t.test('recent views are those of the newest day and as many days before it as the period has', async t => {
  const data = dated(
    [
      [0, 636],
      [1, 994],
      [2, 1000]
    ],
    [
      [0, 635],
      [1, 993],
      [3, 970]
    ],
    [
      [3, 971],
      [2, 911],
      [0, 910]
    ]
  )
  t.strictSame(
    [...recentViews(data)],
    [
      [0, 0, 0, 2],
      [1, 2, 2, 2],
      [1, 1, 2, 2],
      [0, 1, 2, 2]
    ].flat()
  )
  const { days, ...undated } = data
  t.strictSame(recentViews(undated), new Float32Array(16), 'nobody knows')
  t.strictSame(recentViews({ itemCount: 0, starts: Uint32Array.of(0), items: new Uint32Array(0) }), new Float32Array(0))
})

t.test('views before a day are those that a count on that morning would find', async t => {
  const random = randomFrom(4)
  const histories = Array.from({ length: 60 }, () =>
    Array.from({ length: 12 }, (_, item): [number, number] => [item, 900 + Math.floor(random() * 60)])
  )
  const data = dated(...histories)
  const views = new ViewsByDay(data)
  for (const morning of [0, 900, 930, 931, 959, 960, 1100, 1400]) {
    for (let item = 0; item < 12; item++) {
      const before = histories.flat().filter(([other, at]) => other === item && at < morning)
      const wanted = [7, 30, 90, 365].map(period => before.filter(([, at]) => at >= morning - period).length)
      t.strictSame(listOf(views.before(morning), item), wanted, `item ${item}, day ${morning}`)
    }
  }
  t.strictSame(listOf(views.before(960), 3), [...recentViews(data).subarray(12, 16)], 'as at the end of a training')
  t.strictSame(listOf(new ViewsByDay(interactions([0], [0])).before(960), 0), [0, 0, 0, 0], 'nobody knows')
})

t.test('days stay with their items, and nobody counts what came later', async t => {
  const data = dated(
    [
      [0, 100],
      [1, 110]
    ],
    [
      [2, 109],
      [0, 110]
    ],
    [
      [0, 104],
      [2, 120]
    ]
  )
  const out = holdOut(data)
  t.strictSame([...(out.training.days as Uint16Array)], [100, 109, 104])
  const weekOf = (user: number) => [0, 1, 2].map(item => listOf(pastIn(out, user).recentOf as RecentOf, item)[0])
  t.strictSame(weekOf(0), [1, 0, 1], 'neither the title itself nor others of the same day')
  t.strictSame(weekOf(2), [0, 0, 0])
  t.strictSame(
    [0, 1, 2].map(item => listOf(pastIn(out, 2).recentOf as RecentOf, item)[1]),
    [3, 1, 1],
    'what others watched last counts after that'
  )
  const more = dated(
    ...Array.from({ length: 3 }, (): [number, number][] => [[1, 99]]),
    ...Array.from({ length: 2 }, (): [number, number][] => [[2, 119]])
  )
  t.strictSame(
    listOf(pastIn(holdOut(data, more), 2).recentOf as RecentOf, 2),
    [2, 2, 2, 2],
    'a sample knows how popular titles are with all'
  )
  t.strictSame(pastIn(holdOut(interactions([0, 1])), 0), { items: Uint32Array.of(0), interests: undefined, recentOf: undefined })

  const mixed = shuffled(data, 1, 3)
  t.strictSame(
    historiesOf(mixed)
      .map(([item], user) => [item, mixed.days?.[user]])
      .sort(),
    [
      [0, 110],
      [1, 110],
      [2, 120]
    ],
    'the newest of each'
  )
})

t.test('a day is that of the newest view, and days before 1970 are as good as the first', async t => {
  const users = Uint32Array.of(0, 0, 0, 0)
  const items = Uint32Array.of(1, 0, 2, 1)
  const times = Float64Array.of(-5 * day, 3.5 * day, 4 * day - 1, 4 * day)
  t.strictSame(interactionsOf({ users, items, times }, 1, 3).days, Uint16Array.of(3, 3, 4))
  t.strictSame(interactionsOf({ users: users.subarray(0, 1), items, times }, 1, 3).days, Uint16Array.of(0))
  t.equal(interactionsOf({ users, items }, 1, 3).days, undefined)
  const { training } = splitByTime({ users, items, times }, 1, 3)
  t.strictSame(training.days, Uint16Array.of(0, 3, 3))
  const histories = new Histories()
  histories.add({ ids: [7, 8, 9], weights: [1, 1, 1], times: [2 * day, 9 * day, Number.NaN] })
  t.strictSame(histories.interactions.days, Uint16Array.of(2, 9, 0))
})

/** Ten titles, of which each in turn is in fashion for ten days. Viewers watch four, mostly what is in fashion. */
const fashions = (viewers: number) => {
  const random = randomFrom(11)
  const below = (count: number) => Math.floor(random() * count)
  return dated(
    ...Array.from({ length: viewers }, (): [number, number][] => {
      const days = Array.from({ length: 4 }, () => 1000 + below(100)).sort()
      const titles = new Map(days.map(day => [random() < 0.7 ? Math.floor((day - 1000) / 10) : below(10), day]))
      return [...titles].sort(([, one], [, other]) => one - other)
    })
  )
}

t.test('where viewers follow what is popular this week, it comes first', async t => {
  const data = fashions(1000)
  const { days, ...undated } = data
  const [model, blind] = [train(data), train(undated)]
  t.equal(model.weights.length, featureCount(model.links.tables))
  t.strictSame([...blind.weights.subarray(-4)], [0, 0, 0, 0], 'without days, nothing is known of it')
  t.ok(model.quality.ndcg > 1.2 * blind.quality.ndcg, `${model.quality.ndcg}, ${blind.quality.ndcg}`)
  t.equal(itemsOf(new Ranker(model).best({ items: [4] }, 1, all))[0], 9)
})

t.test('nobody has watched newcomers lately', async t => {
  const ranking = rankingOf([{ starts: Uint32Array.of(0, 0), targets: new Uint32Array(0), weights: new Float32Array(0) }], {
    recent: Float32Array.of(1, 2, 3, 4)
  })
  const { recent } = withNewcomers(ranking, { starts: Uint32Array.of(0, 1, 2), values: Uint32Array.of(0, 0) })
  t.strictSame(recent, Float32Array.of(1, 2, 3, 4, 0, 0, 0, 0))
})
