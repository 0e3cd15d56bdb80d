import t from 'tap'
import { Sample } from '../../../scripts/train/exchange.js'
import { firstHeldOut, holdOut, qualitiesOf, splitByTime } from '../../../src/recommendations/model/evaluation.js'
import { byPopularity, firstOf, interactionsOf } from '../../../src/recommendations/model/interactions.js'
import { firstUsers, shuffled, workableLength } from '../../../src/recommendations/model/sampling.js'
import { historiesOf, interactions } from './helper.js'

t.test('of a pair that comes again the newest counts', async t => {
  const users = Uint32Array.from([0, 1, 0, 0, 1, 0])
  const items = Uint32Array.from([2, 0, 1, 2, 0, 0])
  const data = interactionsOf({ users, items }, 2, 3)
  t.strictSame(historiesOf(data), [[1, 2, 0], [0]])
})

t.test('users in another order keep their newest items, and the first of them are a sample', async t => {
  const data = interactions([0, 1, 2, 3], [4], [5, 6, 7], [])
  const weights = data.items.map(item => item * 10)
  const mixedUp = shuffled({ ...data, weights: Float32Array.from(weights) }, 2, 1)
  t.strictSame(historiesOf(mixedUp).sort(), [[], [2, 3], [4], [6, 7]])
  t.strictSame([...(mixedUp.weights ?? [])], [...mixedUp.items.map(item => item * 10)])
  t.notSame(historiesOf(shuffled(data, 2, 1)), historiesOf(shuffled(data, 2, 5)))

  t.strictSame(historiesOf(firstUsers(data, 8)), historiesOf(data))
  t.strictSame(historiesOf(firstUsers(data, 7)), [[0, 1, 2, 3], [4]])
  t.strictSame(firstUsers({ ...data, weights: Float32Array.from(weights) }, 4).weights, Float32Array.from([0, 10, 20, 30]))
  t.strictSame(historiesOf(firstUsers(data, 3)), [])
})

t.test('of long histories so much is learned from as can be worked through', async t => {
  const data = interactions(
    Array.from({ length: 200 }, (_, item) => item),
    [0, 1]
  )
  t.equal(workableLength(data, 200 ** 2 + 4), 1000)
  t.equal(workableLength(data, 110 ** 2 + 4), 109)
  t.equal(workableLength(data, 0), 46)
})

t.test('popularity', async t => {
  const order = byPopularity(interactions([1, 2], [2, 0], [2, 3], [3]))
  t.strictSame([...order], [2, 3, 0, 1])
  t.strictSame(
    firstOf(order, 2, item => item !== 3),
    [2, 0]
  )
  t.strictSame(
    firstOf(order, 9, () => true),
    [2, 3, 0, 1]
  )
})

const day = 24 * 60 * 60 * 1000

const historyOf = (...ids: number[]) => ({ ids, weights: ids.map(id => id / 1000), times: ids.map(id => id * day) })

t.test('histories that fit are all in the sample, in their order', async t => {
  const sample = new Sample(5)
  sample.add(historyOf(700, 300))
  sample.add(historyOf(300, 500, 700))
  t.strictSame(sample.interactions(), {
    itemCount: 3,
    starts: Uint32Array.of(0, 2, 5),
    items: Uint32Array.of(0, 1, 1, 2, 0),
    weights: Float32Array.of(0.7, 0.3, 0.3, 0.5, 0.7),
    days: Uint16Array.of(700, 300, 300, 500, 700)
  })
})

t.test('a sample of more users is about half full or more, and has as many of the first as of the last', async t => {
  for (const seed of [1, 2, 3]) {
    const sample = new Sample(2000, seed)
    for (let user = 0; user < 20_000; user++) sample.add(historyOf(user + 1, user + 1))
    const { starts, items, weights = [] } = sample.interactions()
    t.ok(items.length <= 2000 && items.length > 600, `${items.length} events`)
    t.equal(starts.at(-1), items.length)
    const early = weights.filter(weight => weight < 10).length / weights.length
    t.ok(early > 0.4 && early < 0.6, `${early} are of the first half`)
  }
})

t.test('one user alone may be too many', async t => {
  const sample = new Sample(2)
  sample.add(historyOf(1, 2, 3))
  t.equal(sample.interactions().items.length, 3)
})

t.test('the newest of each user is held out, never all', async t => {
  const data = interactions([0, 1, 2], [3], [], [4, 0])
  const { training, held, heldStarts } = holdOut({ ...data, weights: Float32Array.from(data.items) })
  t.strictSame(historiesOf(training), [[0, 1], [3], [], [4]])
  t.strictSame([...(training.weights ?? [])], [...training.items], 'weights stay with their items')
  t.strictSame(
    [[...held], [...heldStarts]],
    [
      [2, 0],
      [0, 1, 1, 1, 2]
    ]
  )
  t.equal(holdOut(data).training.weights, undefined)
})

t.test('the first users with something held out are enough', async t => {
  const { held, heldStarts } = firstHeldOut(holdOut(interactions([0, 1], [2], [1, 2], [0, 2])), 2)
  t.strictSame([...held], [1, 2])
  t.strictSame([...heldStarts], [0, 1, 1, 2, 2])
})

t.test('qualities are means over the users who have something to find', async t => {
  const out = { training: interactions([0], [1], [2, 3]), heldStarts: Uint32Array.from([0, 2, 3, 3]), held: Uint32Array.from([1, 2, 0]) }
  const lists = [[3, 1, 2], [0, 3], [3]]
  const [quality, none] = qualitiesOf(out, 2, 4, 2, (user, isSeen) => {
    t.strictSame(
      [0, 1, 2, 3].filter(item => isSeen(item)),
      [user]
    )
    return [lists[user] as number[], []]
  })
  const second = 1 / Math.log2(3)
  t.strictSame(quality, { ndcg: (second / (1 + second) + 1) / 2, recall: 0.75, coverage: 0.75, hits: 1, popular: 1, novelty: Math.log2(3) })
  t.strictSame(none, { ndcg: 0, recall: 0, coverage: 0, hits: 0, popular: 0, novelty: 0 })
})

t.test('what few users have watched is novel, and no more so if nobody has', async t => {
  const out = { training: interactions([0], [0, 1], [], [0], [0]), heldStarts: Uint32Array.of(0, 1, 1, 1, 1, 1), held: Uint32Array.of(2) }
  const noveltyOf = (...list: number[]) =>
    qualitiesOf({ ...out, training: { ...out.training, itemCount: 3 } }, 2, 3, 1, () => [list])[0]?.novelty
  t.strictSame([noveltyOf(0), noveltyOf(1), noveltyOf(2), noveltyOf(0, 1)], [0, 2, 2, 1], 'only users with a history count')
})

t.test('a split by time has the past of everybody, and what users with a past watch for the first time', async t => {
  const events = [
    [0, 0, 0],
    [1, 1, 0],
    [0, 1, 10],
    [1, 2, 12],
    [0, 3, 13],
    [1, 0, 14],
    [0, 0, 14],
    [0, 2, 20],
    [0, 0, 20],
    [2, 1, 20]
  ] as [number, number, number][]
  const { training, heldStarts, held, moment, lastWeek } = splitByTime(
    {
      users: Uint32Array.from(events, ([user]) => user),
      items: Uint32Array.from(events, ([, item]) => item),
      times: Float64Array.from(events, ([, , time]) => time * day)
    },
    3,
    4
  )
  t.equal(moment, 20 * day, 'events of one moment stay together')
  t.strictSame(historiesOf(training), [[1, 3, 0], [1, 2, 0], []])
  t.strictSame([...held], [2])
  t.strictSame([...heldStarts], [0, 1, 1, 1])
  t.strictSame(historiesOf(lastWeek), [[3, 0], [0], []])
  t.strictSame([...byPopularity(lastWeek, Uint32Array.of(2, 1, 0, 3))], [0, 3, 2, 1], 'what nobody watched in the week keeps its order')
})
