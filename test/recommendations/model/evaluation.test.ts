import t from 'tap'
import { firstHeldOut, heldOutWithin, holdOut, qualitiesOf, splitByTime } from '../../../src/recommendations/model/evaluation.js'
import { byPopularity } from '../../../src/recommendations/model/interactions.js'
import { historiesOf, interactions } from './helper.js'
import { dense } from './synthetic.js'

t.test('a fifth is held out at random, or the newest of each user, never all', async t => {
  const data = dense({ users: 200, items: 100, views: 20 })
  for (const kind of ['random', 'newest'] as const) {
    const { training, held, heldStarts } = holdOut({ ...data, weights: Float32Array.from(data.items) }, kind, 1)
    const wanted = kind === 'random' ? 0.2 * data.items.length : 200
    t.ok(Math.abs(held.length / wanted - 1) < 0.05, `${held.length} of ${data.items.length}`)
    t.strictSame([...(training.weights ?? [])], [...training.items], 'weights stay with their items')
    const kept = historiesOf(training)
    t.notOk(kept.some(({ length }) => length === 0))
    const whole = kept.map((history, user) => [...history, ...held.subarray(heldStarts[user], heldStarts[user + 1])])
    const inOrder = (histories: number[][]) => (kind === 'newest' ? histories : histories.map(history => [...history].sort()))
    t.strictSame(inOrder(whole), inOrder(historiesOf(data)))
  }
  const single = holdOut(interactions([0], [1], []), 'random', 1)
  t.equal(single.held.length, 0)
})

t.test('only some items may be asked for', async t => {
  const out = { training: interactions([0], [1]), heldStarts: Uint32Array.from([0, 2, 3]), held: Uint32Array.from([1, 0, 0]) }
  const { held, heldStarts } = heldOutWithin(out, Uint8Array.from([0, 1]))
  t.strictSame([...held], [1])
  t.strictSame([...heldStarts], [0, 1, 1])
})

t.test('the first users with something held out are enough', async t => {
  const { held, heldStarts } = firstHeldOut(holdOut(interactions([0, 1], [2], [1, 2], [0, 2]), 'newest', 1), 2)
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
  const day = 24 * 60 * 60 * 1000
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
