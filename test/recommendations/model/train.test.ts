import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { CoViews } from '../../../src/recommendations/model/co-views.js'
import { type HoldOut, holdOut, type Quality, qualitiesOf } from '../../../src/recommendations/model/evaluation.js'
import { type Choices, choicesOf, fitted } from '../../../src/recommendations/model/fit.js'
import {
  byPopularity,
  firstOf,
  type Interactions,
  interactionsOf,
  pastOf,
  trainingSetOf,
  viewCounts
} from '../../../src/recommendations/model/interactions.js'
import { Rows } from '../../../src/recommendations/model/neighbours.js'
import { featureCount, Ranker } from '../../../src/recommendations/model/ranker.js'
import { periods } from '../../../src/recommendations/model/recent.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { fittedWeights, type Model, type TrainingStep, train } from '../../../src/recommendations/model/train.js'
import { all, interactions, itemsOf, rankingOf, rowsOf } from './helper.js'
import { dense, drifting, sparse } from './synthetic.js'

// V8 counts how often a block runs in 32 bits. The innermost loop of the fit would seem uncovered if it ran two billion times in this process,
// so the data are small, and this file is a group of its own.

const count = 20

/** All neighbours by cosine, as the plainest of the models that are better than popularity. */
const cosines = (data: Interactions) => {
  const set = trainingSetOf(data)
  const views = viewCounts(set)
  const coViews = new CoViews(set, new Float64Array(set.userCount).fill(1))
  const rows = new Rows(set.itemCount)
  for (let item = 0; item < set.itemCount; item++) {
    coViews.count(item)
    for (const other of coViews.items.subarray(0, coViews.size))
      rows.add(other, (coViews.counts[other] as number) / Math.sqrt((views[item] as number) * (views[other] as number)))
    rows.close()
  }
  return rows.sorted()
}

const compared = (out: HoldOut, model: Model) => {
  const { training } = out
  const popular = byPopularity(training)
  const rankers = [new Ranker(model), new Ranker(rankingOf([cosines(training)]))]
  return qualitiesOf(out, count, training.itemCount, 3, (user, isSeen) => [
    ...rankers.map(ranker => itemsOf(ranker.best(pastOf(training, user), count, item => !isSeen(item)))),
    firstOf(popular, count, item => !isSeen(item))
  ]) as [Quality, Quality, Quality]
}

const assertBeats = (t: Test, figure: 'ndcg' | 'recall', one: Quality, other: Quality, by: number, name: string) =>
  t.ok(
    one[figure] > by * other[figure],
    `${figure} ${one[figure].toFixed(4)} is above ${by} times that of ${name}, ${other[figure].toFixed(4)}`
  )

t.test('weights can be fitted without the tables that go with them', async t => {
  const data = drifting({ users: 60, items: 60, views: 12 })
  const steps: TrainingStep[] = []
  const { weights, learned, quality, baseline } = train(data)
  t.strictSame(
    fittedWeights(data, step => steps.push(step)),
    { weights, learned, quality, baseline }
  )
  t.strictSame(fittedWeights(data), { weights, learned, quality, baseline })
  t.ok(steps.length > 0 && steps.every(({ step, done, total }) => step === 'choose' && done <= total))
  t.match(learned, /^fitted on the last titles of (\d+) viewers$/)
  t.ok(Number(/\d+/.exec(learned)?.[0]) <= 60)
})

t.test('few items that many know, in no order: better than popularity and no worse than plain cosine', async t => {
  const out = holdOut(dense({ users: 400, items: 200 }))
  const model = train(out.training)
  const [own, cosine, popularity] = compared(out, model)
  assertBeats(t, 'ndcg', own, popularity, 1.4, 'popularity')
  assertBeats(t, 'recall', own, popularity, 1.25, 'popularity')
  assertBeats(t, 'ndcg', own, cosine, 1, 'plain cosine')
  assertBeats(t, 'recall', own, cosine, 1.02, 'plain cosine')
  t.ok(own.coverage > popularity.coverage * 2, 'it recommends more of the catalogue')
})

t.test('many items that few know, in no order: much better than popularity, and hardly worse than plain cosine', async t => {
  const out = holdOut(sparse({ users: 500, items: 1000 }))
  const model = train(out.training)
  const [own, cosine, popularity] = compared(out, model)
  assertBeats(t, 'ndcg', own, popularity, 5, 'popularity')
  assertBeats(t, 'recall', own, popularity, 5, 'popularity')
  assertBeats(t, 'ndcg', own, cosine, 0.95, 'plain cosine')
})

t.test('where what comes next depends on what came last, it is found much better', async t => {
  const out = holdOut(drifting({ users: 100 }))
  const model = train(out.training)
  const [own, cosine, popularity] = compared(out, model)
  assertBeats(t, 'ndcg', own, popularity, 5, 'popularity')
  assertBeats(t, 'ndcg', own, cosine, 1.5, 'plain cosine')
  t.ok(model.quality.ndcg > model.baseline.ndcg)
  t.equal(model.weights.length, featureCount(model.links.tables))
})

t.test('where the order within a series is all there is, the fitted weights find more than the first scores', async t => {
  const data = drifting({ users: 200 })
  const out = holdOut(data)
  const model = train(out.training)
  const rankers = [new Ranker(model), new Ranker({ ...model, weights: new Float64Array(0) })]
  const [fitted, first] = qualitiesOf(out, 10, data.itemCount, 2, (user, isSeen) =>
    rankers.map(ranker => itemsOf(ranker.best(pastOf(out.training, user), 10, item => !isSeen(item))))
  ) as [Quality, Quality]
  assertBeats(t, 'ndcg', fitted, first, 1.02, 'the first scores')
})

/** Four tastes. Whoever has watched the first title of one goes on to its titles 9 and 10, and watches some of its others. */
const tasteful = (viewers: number) => {
  const random = randomFrom(viewers)
  return Array.from({ length: viewers }, (_, viewer) => {
    const taste = viewers < 12 ? 0 : viewer % 4
    const others = [1, 2, 3, 4, 5, 6, 7, 8].filter(() => random() < 0.3)
    const both = random() < 0.5 ? [9, 10] : [10, 9]
    return [...others.slice(0, 1), 0, ...both, ...others.slice(1)].map(title => taste * 11 + title)
  })
}

t.test('what all viewers of a title went on to comes first, from three viewers on', async t => {
  for (const viewers of [3, 10, 30, 100, 300]) {
    const histories = tasteful(viewers)
    const ranker = new Ranker(train(interactions(...histories)))
    for (const taste of viewers < 12 ? [0] : [0, 1, 2, 3]) {
      const first = taste * 11
      const best = itemsOf(ranker.best({ items: [first] }, 2, item => item !== first))
      t.strictSame(
        best.sort((a, b) => a - b),
        [first + 9, first + 10],
        `with ${viewers} viewers, taste ${taste}`
      )
    }
  }
})

t.test('after the first part comes the second, and not the other way round', async t => {
  const random = randomFrom(3)
  const parts = 20
  const histories = Array.from({ length: 300 }, () => {
    const series = Array.from({ length: 4 }, () => Math.floor(random() * parts))
    return [...new Set(series)].flatMap(one => (random() < 0.8 ? [one, parts + one] : [one]))
  })
  const ranker = new Ranker(train(interactions(...histories)))
  const firstAfter = (...items: number[]) => ranker.best({ items }, 1, item => !items.includes(item))[0]?.item
  const series = Array.from({ length: parts }, (_, part) => part)
  t.strictSame(
    series.filter(part => firstAfter((part + 3) % parts, part) !== parts + part),
    []
  )
})

t.test('tells how far it is, and the same data make the same model', async t => {
  const data = dense({ users: 80, items: 60, views: 12 })
  const seen: TrainingStep[] = []
  const model = train(data, { onProgress: progress => seen.push(progress) })
  t.strictSame([...new Set(seen.map(({ step }) => step))], ['choose', 'train'])
  t.ok(seen.every(({ done, total }) => done <= total))
  // tap would take a second to compare what is the same.
  t.ok(isDeepStrictEqual(train(data), model))
  // With another seed, the weights are fitted on other viewers, but the tables are the same.
  t.ok(isDeepStrictEqual(train(data, { seed: 2 }).links, model.links))
})

t.test('the weight of an element counts in the fit, not in what is learned from it', async t => {
  const data = dense({ users: 80, items: 60, views: 12 })
  const weighted = { ...data, weights: new Float32Array(data.items.length).fill(1) }
  t.ok(isDeepStrictEqual(train(weighted), train(data)))
  weighted.weights.fill(0)
  t.equal(train(weighted).quality.ndcg, 0)
})

const odd: Record<string, [users: number[], items: number[], userCount: number, itemCount: number]> = {
  'nothing at all': [[], [], 0, 0],
  'an item that nobody viewed': [[], [], 0, 1],
  'a user without items': [[], [], 1, 3],
  'one view': [[0], [0], 1, 1],
  'one user': [[0, 0, 0], [0, 1, 2], 1, 3],
  'one item that all viewed': [[0, 1, 2], [0, 0, 0], 3, 1],
  'users with nothing in common': [[0, 0, 1, 1], [0, 1, 2, 3], 2, 4]
}

for (const [name, [users, items, userCount, itemCount]] of Object.entries(odd)) {
  t.test(`${name} is no error`, async t => {
    const data = interactionsOf({ users: Uint32Array.from(users), items: Uint32Array.from(items) }, userCount, itemCount)
    const model = train(data)
    const { links, weights, views, freshness } = model
    t.equal(links.starts.length, itemCount + 1)
    t.ok(
      [links.weights, weights, views, freshness].every(numbers => numbers.every(Number.isFinite)),
      'all weights are numbers'
    )
    t.equal(byPopularity(data).length, itemCount)
    const scored = new Ranker(model).best({ items }, 10, all)
    t.ok(scored.every(({ item, score }) => item < itemCount && score > 0))
  })
}

t.test('a robot with a very long history is no obstacle', async t => {
  const itemCount = 2000
  const { starts, items } = sparse({ users: 100, items: itemCount })
  const users = starts.length - 1
  const all = Uint32Array.from({ length: itemCount }, (_, item) => item)
  const robot = { itemCount, starts: Uint32Array.from([...starts, items.length + itemCount]), items: Uint32Array.from([...items, ...all]) }
  const { links } = train(robot)
  t.ok(links.targets.length > 0)
  t.equal(robot.starts.length, users + 2)
})

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
  const out = holdOut(data)
  const ranker = new Ranker(rankingOf([leading(items)], { views: Float32Array.from(viewCounts(data)) }))
  return choicesOf(out, ranker, seed)
}

/** The places of the candidates of each choice. The features are standardised, but their order stays. */
const placesIn = ({ rows, starts, width }: Choices) => {
  const place = featureCount(1) - periods.length - 2
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
