import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { CoViews } from '../../../src/recommendations/model/co-views.js'
import { type HoldOut, holdOut, type Quality, qualitiesOf } from '../../../src/recommendations/model/evaluation.js'
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
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { fittedWeights, type Model, type TrainingStep, train } from '../../../src/recommendations/model/train.js'
import { all, interactions, itemsOf, rankingOf } from './helper.js'
import { dense, drifting, sparse } from './synthetic.js'

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
  const data = drifting({ users: 100, items: 60, views: 12 })
  const steps: TrainingStep[] = []
  const { weights, learned, quality, baseline } = train(data, { holdOut: 'newest' })
  t.strictSame(
    fittedWeights(data, step => steps.push(step)),
    { weights, learned, quality, baseline }
  )
  t.strictSame(fittedWeights(data), { weights, learned, quality, baseline })
  t.ok(steps.length > 0 && steps.every(({ step, done, total }) => step === 'choose' && done <= total))
  t.match(learned, /^fitted on what (\d+) viewers watched last$/)
  t.ok(Number(/\d+/.exec(learned)?.[0]) <= 100)
})

t.test('few items that many know: the dense preset, better than popularity and plain cosine', async t => {
  const out = holdOut(dense({ users: 400, items: 200 }), 'random', 7)
  const model = train(out.training)
  t.match(model.learned, /^chosen: dense, lambda /)
  const [own, cosine, popularity] = compared(out, model)
  assertBeats(t, 'ndcg', own, popularity, 1.4, 'popularity')
  assertBeats(t, 'recall', own, popularity, 1.25, 'popularity')
  assertBeats(t, 'ndcg', own, cosine, 1.05, 'plain cosine')
  assertBeats(t, 'recall', own, cosine, 1.02, 'plain cosine')
  t.ok(own.coverage > popularity.coverage * 2, 'it recommends more of the catalogue')
})

t.test('many items that few know: the sparse preset, better than popularity and plain cosine', async t => {
  const out = holdOut(sparse({ users: 1000, items: 2000 }), 'random', 7)
  const model = train(out.training)
  t.match(model.learned, /^chosen: sparse, lambda /)
  const [own, cosine, popularity] = compared(out, model)
  assertBeats(t, 'ndcg', own, popularity, 5, 'popularity')
  assertBeats(t, 'recall', own, popularity, 5, 'popularity')
  assertBeats(t, 'ndcg', own, cosine, 1.05, 'plain cosine')
})

/** How well the item after the last of each history is found by a model for what comes next, and by one without order. */
const ofNext = (data: Interactions) => {
  const out = holdOut(data, 'newest', 7)
  const { training } = out
  const models = (['newest', 'random'] as const).map(kind => train(out.training, { holdOut: kind }))
  const rankers = models.map(model => new Ranker(model))
  const [next, unordered] = qualitiesOf(out, 10, training.itemCount, 2, (user, isSeen) =>
    rankers.map(ranker => itemsOf(ranker.best(pastOf(training, user), 10, item => !isSeen(item))))
  ) as [Quality, Quality]
  return { next, unordered, model: models[0] as Model, without: models[1] as Model }
}

t.test('where what comes next depends on what came last, it is found much better', async t => {
  const { next, unordered, model, without } = ofNext(drifting({ users: 200 }))
  assertBeats(t, 'ndcg', next, unordered, 1.5, 'the model without order')
  t.ok(model.quality.ndcg > model.baseline.ndcg)
  t.equal(model.weights.length, featureCount(model.links.tables))
  t.strictSame([without.weights.length, without.links.tables], [0, 1], 'without an order, there is one table and nothing to weigh')
  t.strictSame(without.shares, [{ share: 1, halfLife: Number.POSITIVE_INFINITY }])
})

t.test('where the order within a series is all there is, the fitted weights find more than the first scores', async t => {
  const data = drifting({ users: 400 })
  const out = holdOut(data, 'newest', 7)
  const model = train(out.training, { holdOut: 'newest' })
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
  for (const viewers of [3, 10, 30, 100, 1000]) {
    const histories = tasteful(viewers)
    const ranker = new Ranker(train(interactions(...histories), { holdOut: 'newest' }))
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
  const ranker = new Ranker(train(interactions(...histories), { holdOut: 'newest' }))
  const firstAfter = (...items: number[]) => ranker.best({ items }, 1, item => !items.includes(item))[0]?.item
  const series = Array.from({ length: parts }, (_, part) => part)
  t.strictSame(
    series.filter(part => firstAfter((part + 3) % parts, part) !== parts + part),
    []
  )
})

t.test('tells how far it is, and the same data make the same model', async t => {
  const data = dense({ users: 150, items: 60, views: 12 })
  for (const holdOut of ['random', 'newest'] as const) {
    const seen: TrainingStep[] = []
    const model = train(data, { holdOut, onProgress: progress => seen.push(progress) })
    t.strictSame([...new Set(seen.map(({ step }) => step))], ['choose', 'train'])
    t.ok(seen.every(({ done, total }) => done <= total))
    // tap would take a second to compare what is the same.
    t.ok(isDeepStrictEqual(train(data, { holdOut }), model))
    // Another seed holds out other items at random, but the newest are the same.
    t.equal(isDeepStrictEqual(train(data, { holdOut, seed: 2 }).links, model.links), holdOut === 'newest')
  }
})

t.test('the weight of an element counts in the choice, not in what is learned from it', async t => {
  const data = dense({ users: 150, items: 60, views: 12 })
  const weighted = { ...data, weights: new Float32Array(data.items.length).fill(1) }
  t.ok(isDeepStrictEqual(train(weighted), train(data)))
  t.ok(isDeepStrictEqual(train(weighted, { holdOut: 'newest' }), train(data, { holdOut: 'newest' })))
  weighted.weights.fill(0)
  t.equal(train(weighted).quality.ndcg, 0)
  t.equal(train(weighted, { holdOut: 'newest' }).quality.ndcg, 0)
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

for (const [name, [users, items, userCount, itemCount]] of Object.entries(odd))
  for (const holdOut of ['random', 'newest'] as const) {
    t.test(`${name} is no error, ${holdOut}`, async t => {
      const data = interactionsOf({ users: Uint32Array.from(users), items: Uint32Array.from(items) }, userCount, itemCount)
      const model = train(data, { holdOut })
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
  const { starts, items } = sparse({ users: 300, items: itemCount })
  const users = starts.length - 1
  const all = Uint32Array.from({ length: itemCount }, (_, item) => item)
  const robot = { itemCount, starts: Uint32Array.from([...starts, items.length + itemCount]), items: Uint32Array.from([...items, ...all]) }
  const { links } = train(robot)
  t.ok(links.targets.length > 0)
  t.equal(robot.starts.length, users + 2)
})
