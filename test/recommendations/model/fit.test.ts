import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { holdOut } from '../../../src/recommendations/model/evaluation.js'
import { type Choices, choicesOf, fitted } from '../../../src/recommendations/model/fit.js'
import { viewCounts } from '../../../src/recommendations/model/interactions.js'
import { featureCount, Ranker } from '../../../src/recommendations/model/ranker.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { interactions, rankingOf, rowsOf } from './helper.js'

/** In each choice, the features of what was chosen come first. */
const choicesFrom = (width: number, ...choices: number[][][]): Choices => {
  const starts = new Uint32Array(choices.length + 1)
  choices.forEach(({ length }, at) => {
    starts[at + 1] = (starts[at] as number) + length
  })
  return { width, rows: Float32Array.from(choices.flat(2)), starts }
}

const repeated = <T>(count: number, one: T) => Array<T>(count).fill(one)

const penalty = 20

/** Where an ascending function passes through 0. */
const rootOf = (slope: (weight: number) => number) => {
  let [low, high] = [-1000, 1000]
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (slope(middle) < 0) low = middle
    else high = middle
  }
  return low
}

/** The best weight of one feature that is 1 for one of two candidates, where so many choose this one, and so many the other one. */
const bestWeight = (chosen: number, rejected: number, usual: number) =>
  rootOf(weight => {
    const chance = 1 / (1 + Math.exp(-weight))
    return penalty * (weight - usual) - chosen * (1 - chance) + rejected * chance
  })

const having = (width: number, feature: number) => Array.from({ length: width }, (_, at) => (at === feature ? 1 : 0))

/** So many choose the candidate with a feature, and so many the one without it. */
const between = (width: number, feature: number, chosen: number, rejected: number) => [
  ...repeated(chosen, [having(width, feature), having(width, -1)]),
  ...repeated(rejected, [having(width, -1), having(width, feature)])
]

const isNear = (one: number, other: number, by = 0.02) => Math.abs(one - other) <= by * Math.max(1, Math.abs(other))

t.test('the weight of one feature is the one under which the choices are most likely', async t => {
  for (const [chosen, rejected, usual] of [
    [300, 100, 0],
    [100, 300, 0],
    [300, 100, 3],
    [50, 50, -2],
    [5000, 100, 0]
  ] as [number, number, number][]) {
    const [weight] = fitted(choicesFrom(1, ...between(1, 0, chosen, rejected)), Float64Array.of(usual))
    const wanted = bestWeight(chosen, rejected, usual)
    t.ok(isNear(weight as number, wanted), `${weight}, ${wanted}`)
  }
})

t.test('few choices move the weights little away from the usual ones, many a lot', async t => {
  const weightWith = (count: number) => fitted(choicesFrom(1, ...between(1, 0, 0, count)), Float64Array.of(1))[0] as number
  const [few, some, many] = [weightWith(1), weightWith(30), weightWith(3000)]
  t.ok(few > 0.95 && few < 1, `${few}`)
  t.ok(some < few && many < some && many < -2, `${some}, ${many}`)
})

t.test('choices that a weight explains without exception do not make it run away', async t => {
  const [weight] = fitted(choicesFrom(1, ...between(1, 0, 1000, 0)), Float64Array.of(0)) as unknown as [number]
  t.ok(isNear(weight, bestWeight(1000, 0, 0)), `${weight}`)
  t.ok(weight < 5, `${weight}`)
})

t.test('without choices, or with choices of which none has an alternative, the weights are the usual ones', async t => {
  const usual = Float64Array.of(0.5, -1, 2)
  t.strictSame(fitted(choicesFrom(3), usual), usual)
  t.strictSame(fitted(choicesFrom(3, [[1, 2, 3]], [[4, 5, 6]]), usual), usual)
  t.strictSame(
    fitted(
      choicesFrom(
        3,
        ...repeated(9, [
          [1, 2, 3],
          [1, 2, 3]
        ])
      ),
      usual
    ),
    usual,
    'nor do equal ones say anything'
  )
})

t.test('of several features, odd or even in number, each gets its own weight', async t => {
  const counts = [
    [300, 100],
    [80, 240],
    [100, 100],
    [400, 20]
  ] as [number, number][]
  for (const width of [1, 2, 3, 4]) {
    const usual = Float64Array.from({ length: width }, (_, feature) => feature / 2)
    const choices = counts.slice(0, width).flatMap(([chosen, rejected], feature) => between(width, feature, chosen, rejected))
    const weights = fitted(choicesFrom(width, ...choices), usual)
    t.equal(weights.length, width)
    weights.forEach((weight, feature) => {
      const [chosen, rejected] = counts[feature] as [number, number]
      const wanted = bestWeight(chosen, rejected, usual[feature] as number)
      t.ok(isNear(weight, wanted), `${width} features, number ${feature}: ${weight}, ${wanted}`)
    })
  }
})

t.test('features that always come together share what they say', async t => {
  const choices = [
    ...repeated(300, [
      [1, 1],
      [0, 0]
    ]),
    ...repeated(100, [
      [0, 0],
      [1, 1]
    ])
  ]
  const [one, other] = fitted(choicesFrom(2, ...choices), Float64Array.of(0, 0)) as unknown as [number, number]
  // Two weights for the price of half of one.
  const both = rootOf(weight => (penalty / 2) * weight - 300 / (1 + Math.exp(weight)) + 100 / (1 + Math.exp(-weight)))
  t.ok(isNear(one, other, 1e-6) && isNear(one + other, both), `${one}, ${other}, ${both}`)
})

t.test('among many candidates, weights that viewers have are found again', async t => {
  const random = randomFrom(3)
  const own = [1.5, -1, 0.5]
  const choices = Array.from({ length: 6000 }, () => {
    const rows = Array.from({ length: 10 }, () => own.map(() => 2 * random() - 1))
    const odds = rows.map(row => Math.exp(row.reduce((sum, value, feature) => sum + value * (own[feature] as number), 0)))
    const wanted = random() * odds.reduce((a, b) => a + b)
    const chosen = odds.findIndex((_, at) => odds.slice(0, at + 1).reduce((a, b) => a + b) >= wanted)
    return [rows[chosen] as number[], ...rows.filter((_, at) => at !== chosen)]
  })
  const weights = fitted(choicesFrom(3, ...choices), new Float64Array(3))
  t.ok(
    weights.every((weight, feature) => Math.abs(weight - (own[feature] as number)) < 0.12),
    weights.join()
  )
})

t.test('from usual weights that all viewers contradict, the way is found although the first step would be too long', async t => {
  const [weight] = fitted(choicesFrom(1, ...between(1, 0, 0, 10_000)), Float64Array.of(30)) as unknown as [number]
  const wanted = bestWeight(0, 10_000, 30)
  t.ok(isNear(weight, wanted, 0.1), `${weight}, ${wanted}`)
})

/** Item 0 leads to all others, the lower the more. */
const leading = (count: number) => {
  const row = Array.from({ length: count }, (_, item): [number, number] => [item + 1, count - item])
  return rowsOf(row, ...row.map(() => [])).all()
}

const choicesIn = (histories: number[][], items: number, seed = 1) => {
  const data = { ...interactions(...histories), itemCount: items + 1 }
  const out = holdOut(data, 'newest', seed)
  const ranker = new Ranker(rankingOf([leading(items)], { views: Float32Array.from(viewCounts(data)) }))
  return choicesOf(out, ranker, seed)
}

/** The places of the candidates of each choice. The features are standardised, but their order stays. */
const placesIn = ({ rows, starts, width }: Choices) => {
  const place = featureCount(1) - 2
  return [...starts.subarray(1)].map((end, choice) =>
    Array.from({ length: end - (starts[choice] as number) }, (_, at) => rows[((starts[choice] as number) + at) * width + place] as number)
  )
}

t.test('a choice is what was watched last, and the other candidates', async t => {
  const choices = choicesIn([[0, 2], [0, 3, 1], [0], [0, 4], []], 4)
  t.equal(choices.width, featureCount(1))
  t.strictSame([...choices.starts], [0, 4, 7, 11])
  t.equal(choices.rows.length, 11 * choices.width)
  const [first, second, third] = placesIn(choices) as [number[], number[], number[]]
  t.strictSame(
    first.map(place => [...first].sort((a, b) => a - b).indexOf(place)),
    [1, 0, 2, 3]
  )
  t.strictSame(
    second.map(place => [...second].sort((a, b) => a - b).indexOf(place)),
    [0, 1, 2],
    'without what was watched before'
  )
  t.strictSame(
    third.map(place => [...third].sort((a, b) => a - b).indexOf(place)),
    [3, 0, 1, 2]
  )
})

t.test('what was watched last and is no candidate says nothing', async t => {
  t.strictSame(
    [
      ...choicesIn(
        [
          [1, 0],
          [0, 1],
          [2, 1]
        ],
        3
      ).starts
    ],
    [0, 3]
  )
  t.strictSame([...choicesIn([], 3).starts], [0])
})

t.test('of many other candidates, forty are enough, any of them', async t => {
  const histories = Array.from({ length: 60 }, () => [0, 50])
  const choices = choicesIn(histories, 100)
  const places = placesIn(choices)
  t.equal(places.length, 60)
  t.ok(
    places.every(list => list.length === 41 && new Set(list).size === 41),
    'none of them twice'
  )
  t.equal(new Set(places.map(([chosen]) => chosen)).size, 1)
  const times = new Map<number, number>()
  for (const [, ...rejected] of places) for (const place of rejected) times.set(place, (times.get(place) ?? 0) + 1)
  t.equal(times.size, 99)
  t.ok(
    [...times.values()].every(count => count > 8 && count < 42),
    `${[...times.values()]}`
  )
  t.ok(isDeepStrictEqual(choicesIn(histories, 100), choices), 'the same each time')
  t.notOk(isDeepStrictEqual(choicesIn(histories, 100, 2), choices))
})

t.test('so many choices are enough', async t => {
  const { starts } = choicesIn(
    Array.from({ length: 6100 }, () => [0, 1]),
    2
  )
  t.equal(starts.length - 1, 6000)
})
