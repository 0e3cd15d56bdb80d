import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { CoViews } from '../../../src/recommendations/model/co-views.js'
import { type HoldOut, holdOut, type Quality, qualitiesOf } from '../../../src/recommendations/model/evaluation.js'
import { halfLivesOf } from '../../../src/recommendations/model/hyperparameters.js'
import {
  byPopularity,
  firstOf,
  type Interactions,
  interactionsOf,
  trainingSetOf,
  viewCounts
} from '../../../src/recommendations/model/interactions.js'
import { blendOf, nothing, Rows } from '../../../src/recommendations/model/neighbours.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { historyOf, Scorer } from '../../../src/recommendations/model/scorer.js'
import { chooseSettings, type Model, type TrainingStep, train } from '../../../src/recommendations/model/train.js'
import { interactions } from './helper.js'
import { dense, drifting, sparse } from './synthetic.js'

const count = 20

const itemsOf = ({ starts, items }: Interactions, user: number) => items.subarray(starts[user], starts[user + 1])

const ageless = (items: ArrayLike<number>) => historyOf(items, { next: Number.POSITIVE_INFINITY, liked: Number.POSITIVE_INFINITY })

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
  const scorers = [new Scorer(model.links), new Scorer(blendOf(cosines(training), nothing(training.itemCount)))]
  return qualitiesOf(out, count, training.itemCount, 3, (user, isSeen) => [
    ...scorers.map(scorer => scorer.best(ageless(itemsOf(training, user)), count, item => !isSeen(item)).map(({ item }) => item)),
    firstOf(popular, count, item => !isSeen(item))
  ]) as [Quality, Quality, Quality]
}

const assertBeats = (t: Test, figure: 'ndcg' | 'recall', one: Quality, other: Quality, by: number, name: string) =>
  t.ok(
    one[figure] > by * other[figure],
    `${figure} ${one[figure].toFixed(4)} is above ${by} times that of ${name}, ${other[figure].toFixed(4)}`
  )

t.test('settings can be chosen without training', async t => {
  for (const holdOut of ['newest', 'random'] as const) {
    const data = drifting({ users: 100, items: 60, views: 12 })
    const { settings, quality, baseline } = train(data, { holdOut })
    t.strictSame(chooseSettings(data, { holdOut }), { settings, quality, baseline })
  }
})

t.test('few items that many know: the dense preset, better than popularity and plain cosine', async t => {
  const out = holdOut(dense({ users: 400, items: 200 }), 'random', 7)
  const model = train(out.training)
  t.equal(model.settings.preset, 'dense')
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
  t.equal(model.settings.preset, 'sparse')
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
  const [next, unordered] = qualitiesOf(out, 10, training.itemCount, 2, (user, isSeen) =>
    models.map(({ links, settings }) => {
      const history = historyOf(itemsOf(training, user), halfLivesOf(settings))
      return new Scorer(links).best(history, 10, item => !isSeen(item)).map(({ item }) => item)
    })
  ) as [Quality, Quality]
  return { next, unordered, model: models[0] as Model, without: models[1] as Model }
}

t.test('where what comes next depends on what came last, it is found much better', async t => {
  const { next, unordered, model, without } = ofNext(drifting({ users: 200 }))
  assertBeats(t, 'ndcg', next, unordered, 1.5, 'the model without order')
  t.ok(model.quality.ndcg > model.baseline.ndcg)
  const { next: shape } = model.settings
  t.ok(shape && shape.halfLife < 10, `half after ${shape?.halfLife} items`)
  t.equal(without.settings.halfLife, Number.POSITIVE_INFINITY)
  t.equal(without.settings.next, undefined)
  t.ok(
    without.links.first.every(weight => weight === 0),
    'without an order, the first part has no weights'
  )
})

t.test('after the first part comes the second, and not the other way round', async t => {
  const random = randomFrom(3)
  const parts = 20
  const histories = Array.from({ length: 300 }, () => {
    const series = Array.from({ length: 4 }, () => Math.floor(random() * parts))
    return [...new Set(series)].flatMap(one => (random() < 0.8 ? [one, parts + one] : [one]))
  })
  const { links, settings } = train(interactions(...histories), { holdOut: 'newest' })
  const scorer = new Scorer(links)
  const firstAfter = (...items: number[]) => scorer.best(historyOf(items, halfLivesOf(settings)), 1, item => !items.includes(item))[0]?.item
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
      const { links } = train(data, { holdOut })
      t.equal(links.starts.length, itemCount + 1)
      t.ok(links.first.every(Number.isFinite) && links.second.every(Number.isFinite), 'all weights are numbers')
      t.equal(byPopularity(data).length, itemCount)
      const scored = new Scorer(links).best(ageless(items), 10, () => true)
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
