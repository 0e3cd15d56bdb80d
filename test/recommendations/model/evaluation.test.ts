import t from 'tap'
import { firstHeldOut, heldOutWithin, holdOut, qualitiesOf } from '../../../src/recommendations/model/evaluation.js'
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
  t.strictSame(quality, { ndcg: (second / (1 + second) + 1) / 2, recall: 0.75, coverage: 0.75, hits: 1, popular: 1 })
  t.strictSame(none, { ndcg: 0, recall: 0, coverage: 0, hits: 0, popular: 0 })
})
