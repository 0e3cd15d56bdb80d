import t from 'tap'
import type { Past } from '../../../src/recommendations/model/interactions.js'
import type { Neighbours } from '../../../src/recommendations/model/neighbours.js'
import { Best, featureCount, poolSize, Ranker, type Share, utilityOf } from '../../../src/recommendations/model/ranker.js'
import { periods, type RecentOf } from '../../../src/recommendations/model/recent.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { all, itemsOf, rankingOf, rowsOf, weightsOf } from './helper.js'

const five = rowsOf(
  [
    [1, 0.5],
    [2, 0.25],
    [3, 1]
  ],
  [
    [0, 0.25],
    [2, 0.5]
  ],
  [[3, -1]],
  [],
  [[3, 0.75]]
).all()

const width = featureCount(1)

/** Four items. In each table, one of the first two says more for the third or the fourth. */
const next = rowsOf([[2, 1]], [[3, 1]], [], []).all()
const liked = rowsOf([[3, 4]], [[2, 4]], [], []).all()
const shares: Share[] = [
  { share: 1, halfLife: 1 },
  { share: 1, halfLife: Number.POSITIVE_INFINITY }
]

t.test('without weights, items are in the order of their first scores, the lower number first among equals', async t => {
  const ranker = new Ranker(rankingOf([five]))
  t.strictSame(ranker.best({ items: [0] }, 10, all), [
    { item: 3, score: 1 },
    { item: 1, score: 0.5 },
    { item: 2, score: 0.25 }
  ])
  t.strictSame(
    ranker.best({ items: [1, 0] }, 2, item => item !== 3),
    [
      { item: 2, score: 0.75 },
      { item: 1, score: 0.5 }
    ]
  )
  t.strictSame(
    ranker.best({ items: [0, 1], interests: [1, 0.5] }, 2, item => item !== 3),
    [
      { item: 1, score: 0.5 },
      { item: 2, score: 0.5 }
    ]
  )
  t.strictSame(ranker.best({ items: [3] }, 10, all), [], 'an item without neighbours recommends nothing')
  t.strictSame(ranker.best({ items: [] }, 10, all), [])
  t.strictSame(ranker.best({ items: [0] }, 0, all), [])
})

t.test('items with a negative score are left out, and one whose score passes through 0 is listed once', async t => {
  const ranker = new Ranker(rankingOf([five]))
  t.strictSame(ranker.best({ items: [2] }, 10, all), [])
  t.strictSame(ranker.best({ items: [0, 2, 4, 2, 4, 4] }, 10, all), [
    { item: 3, score: 1.25 },
    { item: 1, score: 0.5 },
    { item: 2, score: 0.25 }
  ])
  t.strictSame(ranker.best({ items: [0, 1], interests: [0, 0] }, 10, all), [])
  t.strictSame(ranker.best({ items: [0] }, 1, all), [{ item: 3, score: 1 }], 'nothing is left over for the next request')
})

t.test('the tables are added up by their shares, each aged on its own', async t => {
  const past = { items: [0, 1] }
  const both = rankingOf([next, liked], { shares })
  t.strictSame(new Ranker(both).best(past, 2, all), [
    { item: 3, score: 5 },
    { item: 2, score: 4.5 }
  ])
  const [one] = shares as [Share, Share]
  const parts = [
    { ...one, share: 10 },
    { share: 0.5, halfLife: 2 }
  ]
  const [first, second] = new Ranker({ ...both, shares: parts }).best({ ...past, interests: [0.5, 0.25] }, 2, all)
  const aged = 0.5 * 2 ** -0.5
  t.strictSame(itemsOf([first, second] as { item: number }[]), [3, 2])
  t.ok(Math.abs((first?.score as number) - (10 * 0.25 + 0.5 * aged * 4)) < 1e-9)
  t.ok(Math.abs((second?.score as number) - (10 * 0.25 + 0.5 * 0.25 * 4)) < 1e-9)
})

t.test('candidates have the highest first scores, those from a border on apart', async t => {
  const ranker = new Ranker(
    rankingOf([
      rowsOf(
        [
          [1, 1],
          [2, 3],
          [3, 2],
          [4, 5],
          [5, 4]
        ],
        [],
        [],
        [],
        [],
        []
      ).all()
    ])
  )
  const past = { items: [0] }
  t.strictSame(ranker.candidates(past, 4, [2, 1], all).map(itemsOf), [[2, 3], [4]])
  t.strictSame(ranker.candidates(past, 4, [9, 9], item => item % 2 === 1).map(itemsOf), [[3, 1], [5]])
  t.strictSame(ranker.bestApart(past, 4, [2, 1], all).map(itemsOf), [[2, 3], [4]])
  t.strictSame(itemsOf(ranker.best(past, 9, all)), [4, 5, 2, 3, 1], 'without a border, all are alike')
})

t.test('where nothing is asked for, nothing is found', async t => {
  const ranker = new Ranker(rankingOf([five]))
  t.strictSame(ranker.bestApart({ items: [0] }, 1, [0, 0], all), [[], []])
})

t.test('the best are kept in order, of equals the lower number', async t => {
  const random = randomFrom(4)
  for (let round = 0; round < 50; round++) {
    const offered = Array.from({ length: 40 }, (_, item) => ({ item, score: Math.floor(random() * 12) })).sort(() => random() - 0.5)
    const best = new Best(10)
    for (const { item, score } of offered) best.offer(item, score)
    const wanted = [...offered].sort((a, b) => b.score - a.score || a.item - b.item).slice(0, 10)
    t.strictSame([best.taken, best.least], [wanted, wanted[9]?.score])
  }
})

t.test('the features of candidates are standardised over all of them', async t => {
  // From the newest item, item 2 comes with 1, item 3 with 0.5, and item 4 with nothing.
  const table = rowsOf(
    [
      [2, 1],
      [3, 0.5]
    ],
    [
      [2, 2],
      [3, 1],
      [4, 1]
    ],
    [],
    [],
    []
  ).all()
  const ranking = rankingOf([table], {
    views: Float32Array.of(9, 9, 0, 0, 3),
    freshness: Float32Array.of(1, 1, 4, 1, 1),
    recent: Float32Array.from([9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 4, 9])
  })
  const ranker = new Ranker(ranking)
  t.equal(ranker.width, width)
  const past = { items: [1, 0] }
  const rows = new Float32Array(3 * width).fill(Number.NaN)
  const candidates = [
    { item: 2, score: 3 },
    { item: 3, score: 1.5 },
    { item: 4, score: 1 }
  ]
  ranker.describe(past, candidates, rows)

  const standardised = (values: number[]) => {
    const mean = values.reduce((a, b) => a + b) / values.length
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
    return values.map(value => (deviation > 0 ? (value - mean) / deviation : 0))
  }
  const linked = [
    [1 + 0.97 * 2, 0.5 + 0.97, 0.97],
    [1 + 0.8 * 2, 0.5 + 0.8, 0.8],
    [1, 0.5, 0],
    [2, 1, 1],
    [0, 0, 0]
  ]
  const logs = linked.map(values => values.map(value => Math.log(value + 1e-4)))
  const rest = [[0, 0, Math.log(4)], [Math.log(4), 0, 0], [3, 1.5, 1], [3, 1.5, 1].map(Math.log), [0, 1, 2], [0, Math.log(2), Math.log(3)]]
  const recent = [
    [0, 0, 0],
    [0, 2, 0],
    [0, 4, 4],
    [0, 8, 9]
  ].map(counts => counts.map(count => Math.log(count + 0.5)))
  const wanted = [...linked, ...logs, ...rest, ...recent].map(standardised)
  const found = wanted.map((_, feature) => [0, 1, 2].map(at => rows[at * width + feature] as number))
  wanted.forEach((values, feature) => {
    t.ok(
      values.every((value, at) => Math.abs(value - (found[feature]?.[at] as number)) < 1e-4),
      `feature ${feature}: ${found[feature]}`
    )
  })
  t.strictSame(found[4], [0, 0, 0], 'what is the same for all says nothing')

  const then = new Float32Array(3 * width)
  const recentOf: RecentOf = item => [item, 0, 0, 0]
  ranker.describe({ ...past, recentOf }, candidates, then)
  t.strictSame(then.subarray(0, width - periods.length), rows.subarray(0, width - periods.length), 'a past may know other recent views')
  const week = [2, 3, 4].map(item => Math.log(item + 0.5))
  standardised(week).forEach((value, at) => {
    t.ok(Math.abs(value - (then[at * width + width - periods.length] as number)) < 1e-4)
  })

  const again = new Float32Array(3 * width)
  ranker.describe({ items: [0, 1, 0], interests: [1, 1, 1] }, candidates, new Float32Array(3 * width))
  ranker.describe(past, candidates, again)
  t.strictSame(again, rows, 'nothing is left over for the next past')
})

t.test(
  'less interest counts less in the features, a negative link does not in their logarithms, and the third last has its own',
  async t => {
    const table = rowsOf(
      [
        [1, 1],
        [2, 1]
      ],
      [],
      [[1, -3]],
      [[2, 4]]
    ).all()
    const ranker = new Ranker(rankingOf([table]))
    const rows = new Float32Array(2 * width)
    const both = [
      { item: 1, score: 1 },
      { item: 2, score: 1 }
    ]
    const feature = (at: number) => [rows[at], rows[width + at]].map(value => Math.round(value as number))
    ranker.describe({ items: [3, 2, 0], interests: [0, 1, 1] }, both, rows)
    t.strictSame(
      [feature(2), feature(3), feature(4)],
      [
        [0, 0],
        [-1, 1],
        [0, 0]
      ]
    )
    t.strictSame(
      [feature(7), feature(8), feature(9)],
      [
        [0, 0],
        [0, 0],
        [0, 0]
      ]
    )
    ranker.describe({ items: [3, 2, 0], interests: [0.1, 1, 1] }, both, rows)
    t.strictSame(
      [feature(4), feature(9)],
      [
        [-1, 1],
        [-1, 1]
      ]
    )
  }
)

t.test('items of long ago count in the slower sum alone', async t => {
  const table = rowsOf(
    [],
    [],
    [
      [0, 1],
      [1, 2]
    ]
  ).all()
  const ranker = new Ranker(rankingOf([table]))
  const rows = new Float32Array(2 * width)
  const both = [
    { item: 0, score: 1 },
    { item: 1, score: 1 }
  ]
  const sums = (newer: number) => {
    ranker.describe({ items: [2, ...Array<number>(newer).fill(1)] }, both, rows)
    return [1, 0].map(feature => Math.round(rows[feature] as number))
  }
  t.strictSame(sums(15), [-1, -1])
  t.strictSame(sums(16), [0, -1])
})

t.test('no feature is further than six deviations from the mean', async t => {
  const row = Array.from({ length: poolSize }, (_, item): [number, number] => [item + 1, item === 0 ? 1e6 : 1])
  const ranker = new Ranker(rankingOf([rowsOf(row, ...row.map(() => [])).all()]))
  const rows = new Float32Array(poolSize * ranker.width)
  ranker.describe({ items: [0] }, ranker.candidates({ items: [0] }, poolSize + 1, [poolSize, 0], all)[0], rows)
  t.equal(rows[0], 6)
  t.ok(rows.every(value => Math.abs(value) <= 6))
})

/** Each of the tables leads from item 0 to items 1 to 5, the lower the more. */
const falling = rowsOf(
  [
    [1, 5],
    [2, 4],
    [3, 3],
    [4, 2],
    [5, 1]
  ],
  [],
  [],
  [],
  [],
  []
).all()

t.test('the weights of the features put candidates in order, and equals stay in that of their first scores', async t => {
  const views = Float32Array.of(0, 1, 7, 7, 30, 1)
  const known = featureCount(1) - periods.length - 6
  const orderWith = (weights: Record<number, number>) =>
    itemsOf(new Ranker(rankingOf([falling], { views, weights: weightsOf(featureCount(1), weights) })).best({ items: [0] }, 9, all))
  t.strictSame(orderWith({}), [1, 2, 3, 4, 5])
  t.strictSame(orderWith({ [known]: 1 }), [4, 2, 3, 1, 5])
  t.strictSame(orderWith({ [known]: -1 }), [1, 5, 2, 3, 4])
  t.strictSame(orderWith({ 0: -1 }), [5, 4, 3, 2, 1])
  t.strictSame(orderWith({ 0: -1, [known]: 10 }), [4, 3, 2, 5, 1])
  const [first] = new Ranker(rankingOf([falling], { weights: weightsOf(featureCount(1), { 0: -1 }) })).best({ items: [0] }, 1, all)
  t.strictSame(first, { item: 5, score: 1 }, 'the best of all candidates, with its first score')
  t.equal(utilityOf(Float32Array.of(9, 1, 2), 1, Float64Array.of(10, 3)), 16)
})

t.test('what all viewers of the newest item went on to comes first, whatever the weights say', async t => {
  const nothing = rowsOf([], [], [], [], [], []).all()
  const sure = rowsOf(
    [
      [3, 1],
      [4, 1],
      [5, 0.99]
    ],
    [[2, 1]],
    [],
    [],
    [],
    []
  ).all()
  const weights = weightsOf(featureCount(3), { [featureCount(3) - periods.length - 4]: 1 })
  const views = Float32Array.of(3, 3, 3, 3, 3, 3)
  const rankerOf = (...tables: Neighbours[]) =>
    new Ranker(rankingOf(tables, { views, weights, shares: tables.map((_, at) => ({ share: at === 0 ? 1 : 0, halfLife: 2 })) }))
  const ranker = rankerOf(falling, nothing, sure)
  t.strictSame(itemsOf(ranker.best({ items: [0] }, 9, all)), [3, 4, 1, 2, 5])
  t.strictSame(itemsOf(ranker.best({ items: [1, 0] }, 2, all)), [3, 4], 'older items do not make sure')
  t.strictSame(itemsOf(ranker.best({ items: [0, 1] }, 9, all)), [2, 1, 3, 4, 5], 'only the newest')
  t.strictSame(itemsOf(ranker.best({ items: [0, 2] }, 9, all)), [1, 2, 3, 4, 5])
  views[0] = 2
  t.strictSame(itemsOf(ranker.best({ items: [0] }, 9, all)), [1, 2, 3, 4, 5], 'nor does what was borrowed')
  views[0] = 3
  t.strictSame(itemsOf(rankerOf(falling, sure, nothing).best({ items: [0] }, 9, all)), [1, 2, 3, 4, 5], 'another table does not')
})

t.test('where more are asked for than are put in order, the others follow by their first scores', async t => {
  const count = poolSize + 50
  const row = Array.from({ length: count }, (_, item): [number, number] => [item + 1, count - item])
  const table = rowsOf(row, ...row.map(() => [])).all()
  const reversed = new Ranker(rankingOf([table], { weights: weightsOf(featureCount(1), { 0: -1 }) }))
  const list = itemsOf(reversed.best({ items: [0] }, count, all))
  const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
  t.strictSame(list, [...span(1, poolSize).reverse(), ...span(poolSize + 1, count)])
  t.strictSame(itemsOf(reversed.best({ items: [0] }, poolSize + 2, all)), list.slice(0, poolSize + 2))
  t.strictSame(itemsOf(reversed.best({ items: [0] }, 3, all)), list.slice(0, 3), 'few are the best of as many candidates')
})

t.test('newcomers are not put in order by features, which they hardly have', async t => {
  const ranker = new Ranker(rankingOf([falling], { weights: weightsOf(featureCount(1), { 0: -1 }) }))
  t.strictSame(ranker.bestApart({ items: [0] }, 4, [9, 9], all).map(itemsOf), [
    [3, 2, 1],
    [4, 5]
  ])
})

t.test('the reason of an item is the one of the past that adds most to its first score', async t => {
  const ranker = new Ranker(rankingOf([five]))
  t.strictSame(ranker.reasons({ items: [0, 1] }, [2, 3]), [1, 0])
  t.strictSame(ranker.reasons({ items: [0, 1], interests: [1, 0.1] }, [2]), [0])
  t.strictSame(ranker.reasons({ items: [2, 0, 4] }, [3]), [1])
  t.strictSame(ranker.reasons({ items: [0, 4, 0, 4] }, [3]), [0], 'the oldest of equally strong ones')
  t.strictSame(ranker.reasons({ items: [2, 3] }, [3]), [-1], 'none if all weights are negative')
  t.strictSame(ranker.reasons({ items: [4] }, [4]), [-1])
  t.strictSame(ranker.reasons({ items: [1], interests: [0] }, [2]), [-1], 'an item without interest does not count')
  const both = new Ranker(rankingOf([next, liked], { shares }))
  t.strictSame(both.reasons({ items: [0, 1] }, [3, 2]), [0, 1])
})

const size = 20

/** Few different weights, so that many are equal. */
const tiedNeighboursOf = (random: () => number) => {
  const pick = (count: number) => Math.floor(random() * count)
  const row = () => [...new Set(Array.from({ length: 8 }, () => pick(size)))].map((target): [number, number] => [target, pick(4) - 1])
  return rowsOf(...Array.from({ length: size }, row)).sorted()
}

const weightIn = ({ starts, targets, weights }: Neighbours, item: number, target: number) => {
  const place = targets.indexOf(target, starts[item])
  return place < 0 || place >= (starts[item + 1] as number) ? 0 : (weights[place] as number)
}

t.test('no stronger reason is missed', async t => {
  const failures: string[] = []
  for (let round = 1; round <= 200; round++) {
    const random = randomFrom(round)
    const tables = [tiedNeighboursOf(random), tiedNeighboursOf(random)]
    const shares = [
      { share: 1, halfLife: 1 + random() },
      { share: round % 3, halfLife: round % 2 ? Number.POSITIVE_INFINITY : 5 }
    ]
    const ranker = new Ranker(rankingOf(tables, { shares }))
    const items = Array.from({ length: 10 }, () => Math.floor(random() * size))
    const reasons = ranker.reasons(
      { items },
      Array.from({ length: size }, (_, target) => target)
    )
    reasons.forEach((found, target) => {
      const strengths = items.map((item, at) =>
        tables.reduce((sum, table, nth) => {
          const { share, halfLife } = shares[nth] as Share
          return sum + share * 2 ** (-(items.length - 1 - at) / halfLife) * weightIn(table, item, target)
        }, 0)
      )
      const most = Math.max(...strengths)
      const expected = most > 0 ? strengths.indexOf(most) : -1
      if (found !== expected) failures.push(`round ${round}, title ${target}: ${found} instead of ${expected}`)
    })
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

const scoresOf = (tables: Neighbours[], shares: Share[], past: Past) => {
  const scores = Array<number>(titles).fill(0)
  for (const { item, score } of new Ranker(rankingOf(tables, { shares })).best(past, titles, all)) scores[item] = score
  return scores
}

/** Weights are stored with 24 bits. */
const isNear = (one: number, other: number) => Math.abs(one - other) <= 1e-5 * Math.max(1, Math.abs(one))

t.test('whatever the tables are, and whatever was watched', async t => {
  const failures: string[] = []
  const check = (what: string, round: number, is: boolean) => {
    if (!is) failures.push(`${what} in round ${round}`)
  }
  for (let round = 1; round <= rounds; round++) {
    const random = randomFrom(round)
    const tables = [neighboursOf(random), neighboursOf(random)] as [Neighbours, Neighbours]
    const [next, liked] = tables
    const shares: [Share, Share] = [
      { share: 1, halfLife: 0.5 + 4 * random() },
      { share: 1, halfLife: 5 + 20 * random() }
    ]
    const items = [...new Set(Array.from({ length: 1 + Math.floor(random() * 10) }, () => pick(random)))]
    const scores = scoresOf(tables, shares, { items })
    const ofNext = scoresOf([next], [shares[0]], { items })
    const ofLiked = scoresOf([liked], [shares[1]], { items })
    check(
      'the score is the sum of both tables',
      round,
      scores.every((score, item) => isNear(score, (ofNext[item] as number) + (ofLiked[item] as number)))
    )

    const last = pick(random)
    const others = items.filter(item => item !== last)
    const before = scoresOf(tables, shares, { items: [last, ...others] })
    const after = scoresOf(tables, shares, { items: [...others, last] })
    const neighbours = next.targets.subarray(next.starts[last], next.starts[last + 1])
    if (others.length === 0) continue
    const saysNothing = (item: number) =>
      others.every(other => tables.every(({ starts, targets }) => !targets.subarray(starts[other], starts[other + 1]).includes(item)))
    check(
      'what follows the newest title gains by its being the newest',
      round,
      [...neighbours].filter(saysNothing).every(item => (after[item] as number) > (before[item] as number))
    )

    const weights = Float64Array.from({ length: featureCount(2) }, () => random() - 0.5)
    const ranker = new Ranker(rankingOf(tables, { shares, weights }))
    const best = ranker.best({ items }, 5, all)
    check(
      'the reason of a recommendation is a watched title that leads to it',
      round,
      best.every(({ item }) => {
        const because = items[ranker.reasons({ items }, [item])[0] as number] as number
        return tables.some(({ starts, targets }) => targets.subarray(starts[because], starts[because + 1]).includes(item))
      })
    )
    const whole = ranker.best({ items }, titles, all)
    check(
      'weights change the order, not what is found',
      round,
      itemsOf(whole).sort().join() ===
        itemsOf(ranker.candidates({ items }, titles, [titles, 0], all)[0])
          .sort()
          .join()
    )
    check('of fewer, the best come first', round, JSON.stringify(whole.slice(0, 5)) === JSON.stringify(best))
  }
  t.strictSame(failures, [])
})

t.test('of a past that ages, the newest 64 items count, of another one all', async t => {
  const rankerOf = (halfLife: number) => new Ranker(rankingOf([five], { shares: [{ share: 1, halfLife }] }))
  const past = (newer: number) => ({ items: [0, ...Array<number>(newer).fill(3)] })
  const [first] = rankerOf(1000).best(past(63), 1, all)
  t.equal(first?.item, 3)
  t.ok(Math.abs((first?.score as number) - 2 ** -0.063) < 1e-9)
  t.strictSame(rankerOf(1000).reasons(past(63), [3]), [0])
  t.strictSame(rankerOf(1000).best(past(64), 1, all), [])
  t.strictSame(rankerOf(1000).reasons(past(64), [3]), [-1])
  t.strictSame(rankerOf(Number.POSITIVE_INFINITY).best(past(300), 1, all), [{ item: 3, score: 1 }])
  t.strictSame(rankerOf(Number.POSITIVE_INFINITY).reasons(past(300), [3]), [0])
})
