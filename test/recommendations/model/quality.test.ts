import t from 'tap'
import { qualitiesOf } from '../../../src/recommendations/model/quality.js'
import { interactions } from './helper.js'

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
