import t from 'tap'
import { firstUsers, interactionsOf, shuffled, workableLength } from '../../../src/recommendations/model/interactions.js'
import { historiesOf, interactions } from './helper.js'

t.test('of a pair that comes again the newest counts, with its weight', async t => {
  const users = Uint32Array.from([0, 1, 0, 0, 1, 0])
  const items = Uint32Array.from([2, 0, 1, 2, 0, 0])
  const weights = Float32Array.from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
  const data = interactionsOf({ users, items, weights }, 2, 3)
  t.strictSame(historiesOf(data), [[1, 2, 0], [0]])
  t.strictSame(data.weights, Float32Array.from([0.3, 0.4, 0.6, 0.5]))
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
