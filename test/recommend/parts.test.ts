import t from 'tap'
import { aged } from '../../src/recommendations/model/ageing.js'
import { solve } from '../../src/recommendations/model/cholesky.js'
import { someOf } from '../../src/recommendations/model/choose.js'
import { countedGram, gramOf, keptGram, mostKept } from '../../src/recommendations/model/gram.js'
import { askedFor, holdOut } from '../../src/recommendations/model/hold-out.js'
import { firstUsers, type Interactions, interactionsOf, shuffled, workableLength } from '../../src/recommendations/model/interactions.js'
import { blendOf, mixed, type Neighbours, Rows, transposed } from '../../src/recommendations/model/neighbours.js'
import { byPopularity, firstOf } from '../../src/recommendations/model/popularity.js'
import { qualitiesOf } from '../../src/recommendations/model/quality.js'
import { randomFrom } from '../../src/recommendations/model/random.js'
import { Regressions } from '../../src/recommendations/model/ridge.js'
import { selectBest } from '../../src/recommendations/model/selection.js'
import { trainingSetOf, userWeights } from '../../src/recommendations/model/training-set.js'
import { walk } from '../../src/recommendations/model/walk.js'
import { dense } from './synthetic.js'

const interactions = (...histories: number[][]): Interactions =>
  interactionsOf(
    {
      users: Uint32Array.from(histories.flatMap((history, user) => history.map(() => user))),
      items: Uint32Array.from(histories.flat())
    },
    histories.length,
    Math.max(-1, ...histories.flat()) + 1
  )

const historiesOf = ({ starts, items }: Interactions) =>
  Array.from({ length: starts.length - 1 }, (_, user) => [...items.subarray(starts[user], starts[user + 1])])

/** A model as a table of weights. */
const tableOf = ({ starts, targets, weights }: Neighbours) =>
  Array.from({ length: starts.length - 1 }, (_, row) => {
    const cells = Array<number>(starts.length - 1).fill(0)
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) cells[targets[at] as number] = weights[at] as number
    return cells
  })

const rowsOf = (...lists: [target: number, weight: number][][]) => {
  const rows = new Rows(lists.length)
  for (const list of lists) {
    for (const [target, weight] of list) rows.add(target, weight)
    rows.close()
  }
  return rows.end()
}

const isNear = (one: number[][], other: number[][], by = 1e-5) =>
  one.length === other.length &&
  one.every((row, r) => row.every((value, c) => Math.abs(value - ((other[r] as number[])[c] as number)) < by))

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

t.test('some items are as many as are wanted, any of them', async t => {
  const masks = Array.from({ length: 200 }, (_, seed) => someOf(10, 4, seed))
  t.ok(masks.every(mask => mask.reduce((sum, one) => sum + one, 0) === 4))
  const chosen = Array.from({ length: 10 }, (_, item) => masks.filter(mask => mask[item] === 1).length)
  t.ok(
    chosen.every(times => times > 50 && times < 110),
    chosen.join()
  )
  t.strictSame([...someOf(3, 3, 1)], [1, 1, 1])
})

t.test('a fifth is held out, never all, at random or the newest', async t => {
  const data = dense({ users: 200, items: 100, views: 20 })
  for (const kind of ['random', 'newest'] as const) {
    const { training, held, heldStarts } = holdOut({ ...data, weights: Float32Array.from(data.items) }, kind, 1)
    t.ok(Math.abs(held.length / data.items.length - 0.2) < 0.01, `${held.length} of ${data.items.length}`)
    t.strictSame([...(training.weights ?? [])], [...training.items], 'weights go with their items')
    const histories = historiesOf(training)
    historiesOf(data).forEach((history, user) => {
      const out = [...held.subarray(heldStarts[user], heldStarts[user + 1])]
      const kept = histories[user] as number[]
      if (kind === 'newest') t.strictSame([...kept, ...out], history)
      else t.strictSame([...kept, ...out].sort(), [...history].sort())
      t.ok(kept.length > 0)
    })
  }
  const single = holdOut(interactions([0], [1], []), 'random', 1)
  t.equal(single.held.length, 0)
})

t.test('only some items may be asked for', async t => {
  const out = { training: interactions([0], [1]), heldStarts: Uint32Array.from([0, 2, 3]), held: Uint32Array.from([1, 0, 0]) }
  const { held, heldStarts } = askedFor(out, Uint8Array.from([0, 1]))
  t.strictSame([...held], [1])
  t.strictSame([...heldStarts], [0, 1, 1])
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
  t.strictSame(quality, { ndcg: (second / (1 + second) + 1) / 2, recall: 0.75, coverage: 0.75 })
  t.strictSame(none, { ndcg: 0, recall: 0, coverage: 0 })
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

t.test('ageing halves with every half life', async t => {
  t.strictSame([...aged(3, 1)], [0.25, 0.5, 1])
  t.strictSame([...aged(2, Number.POSITIVE_INFINITY, [0.5, 0.25])], [0.5, 0.25])
})

t.test('the best are selected, of equals the lower number', async t => {
  const random = randomFrom(3)
  for (let round = 0; round < 50; round++) {
    const values = Float64Array.from({ length: 40 }, () => Math.floor(random() * 12))
    const items = Uint32Array.from(values, (_, item) => item).sort(() => random() - 0.5)
    const wanted = [...items].sort((a, b) => (values[b] as number) - (values[a] as number) || a - b).slice(0, 10)
    t.equal(selectBest(items, 40, values, 10), 10)
    t.strictSame([...items.subarray(0, 10)].sort(), wanted.sort())
    t.strictSame(new Set(items).size, 40, 'none is lost')
  }
  t.equal(selectBest(new Uint32Array(3), 3, new Float64Array(3), 3), 3)
})

t.test('equations are solved, singular ones too', async t => {
  const random = randomFrom(5)
  for (const size of [0, 2, 4, 10]) {
    const half = Array.from({ length: size }, () => Float64Array.from({ length: size }, () => random()))
    const product = (i: number, j: number) =>
      (half[i] as Float64Array).reduce((sum, value, k) => sum + value * ((half[j] as Float64Array)[k] as number), i === j ? 1 : 0)
    const matrix = Float64Array.from({ length: size * size }, (_, at) => product(Math.floor(at / size), at % size))
    const wanted = Float64Array.from({ length: size }, () => random())
    const right = Float64Array.from({ length: size }, (_, i) =>
      wanted.reduce((sum, value, j) => sum + value * (matrix[i * size + j] as number), 0)
    )
    solve(matrix, size, right)
    t.ok(right.every((value, i) => Math.abs(value - (wanted[i] as number)) < 1e-9))
  }
  const right = Float64Array.of(1, 1)
  solve(Float64Array.of(1, 1, 1, 1), 2, right)
  t.ok(right.every(Number.isFinite))
})

t.test('rows become columns, and two models one', async t => {
  const one = rowsOf(
    [[1, 2]],
    [],
    [
      [1, 3],
      [0, 4]
    ]
  )
  t.strictSame(tableOf(transposed(one)), [
    [0, 0, 4],
    [2, 0, 3],
    [0, 0, 0]
  ])
  const other = transposed(
    transposed(
      rowsOf(
        [
          [2, 1],
          [1, 1]
        ],
        [[0, 5]],
        []
      )
    )
  )
  const both = mixed(blendOf(transposed(transposed(one)), other), 10)
  t.strictSame(tableOf(both), [
    [0, 12, 10],
    [50, 0, 0],
    [4, 3, 0]
  ])
  t.strictSame([...both.targets], [1, 2, 0, 0, 1], 'in the order of their numbers')
  t.equal(rowsOf(Array.from({ length: 1 << 17 }, (_, at) => [at, 1])).targets.at(-1), (1 << 17) - 1, 'with room for many')
})

t.test('a walk is what the formula says', async t => {
  const histories = [[0, 1, 2], [1, 2], [0, 2, 3], [3, 1], [2]]
  const data = interactions(...histories)
  const set = trainingSetOf(data)
  const views = [0, 1, 2, 3].map(item => histories.filter(history => history.includes(item)).length)
  const shape = { users: 0.65, targets: 0.3, sources: 0.7, per: 'source', keep: 4 } as const

  const raw = views.map((_, i) =>
    views.map((degree, j) =>
      i === j ? 0 : histories.reduce((sum, h) => sum + (h.includes(i) && h.includes(j) ? h.length ** -0.65 : 0), 0) / degree ** 0.3
    )
  )
  const table = raw.map(row => row.map(weight => weight / row.reduce((sum, one) => sum + one, 0) ** 0.7))
  const total = table.reduce((sum, row, i) => sum + (views[i] as number) * row.reduce((sum, one) => sum + one, 0), 0)
  const wanted = table.map(row => row.map(weight => (weight * data.items.length) / total))

  t.ok(isNear(tableOf(walk(set, shape)), wanted))
  t.ok(isNear(tableOf(walk(set, { ...shape, per: 'target' })), wanted))

  const bestOf = (list: number[]) => list.map(value => (value === Math.max(...list) ? value : 0))
  const columns = wanted.map((_, j) => bestOf(wanted.map(row => row[j] as number)))
  t.ok(isNear(tableOf(walk(set, { ...shape, keep: 1 })), wanted.map(bestOf)), 'the best of each source')
  t.ok(
    isNear(
      tableOf(walk(set, { ...shape, keep: 1, per: 'target' })),
      wanted.map((_, i) => columns.map(column => column[i] as number))
    ),
    'of each target'
  )

  const within = Uint8Array.from([1, 0, 1, 0])
  const narrowed = wanted.map(row => row.map((weight, j) => weight * (within[j] as number)))
  t.ok(isNear(tableOf(walk(set, shape, within)), narrowed))
  t.ok(isNear(tableOf(walk(set, { ...shape, per: 'target' }, within)), narrowed))
})

t.test('counting at once and counting by the viewers is the same; by some of them, nearly', async t => {
  const set = trainingSetOf(dense({ users: 8000, items: 40, views: 10 }))
  const weights = userWeights(set, 0.5)
  const items = Uint32Array.from([1, 4, 7, 20, 39])
  const filled = (gram: ReturnType<typeof keptGram>) => {
    const matrix = new Float64Array(36).fill(Number.NaN)
    gram(items, matrix, 6)
    return [0, 1, 2, 3, 4].map(row => [...matrix.subarray(row * 6, row * 6 + row + 1)])
  }
  const wanted = filled(keptGram(set, weights))
  // With more items than can be kept in pairs they are counted, and it comes to the same.
  t.ok(isNear(filled(gramOf({ ...set, itemCount: mostKept + 1 }, weights)), wanted, 1e-3))
  t.ok(isNear(filled(countedGram(set, weights)), wanted, 1e-3))
  const counted = countedGram(set, weights, 1000)
  const estimates = filled(counted)
  t.notOk(isNear(estimates, wanted, 1e-3))
  t.ok(
    estimates.every((row, i) => Math.abs((row[i] as number) / ((wanted[i] as number[])[i] as number) - 1) < 0.35),
    'the diagonal'
  )
  t.strictSame(filled(counted), estimates, 'what was counted before leaves nothing behind')
})

t.test('a regression is what the equations say', async t => {
  const histories = [
    [0, 1, 2],
    [1, 2],
    [0, 2, 3],
    [3, 1],
    [2, 0],
    [0, 1, 2, 3]
  ]
  const set = trainingSetOf(interactions(...histories))
  const together = (i: number, j: number) => histories.filter(history => history.includes(i) && history.includes(j)).length
  const model = tableOf(new Regressions(set, { keep: 100, users: 0 }).solve({ lambda: 2, growth: 1 }))
  const mean = histories.flat().length / 4
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      if (i === j) {
        t.equal(model[i]?.[j], 0, 'nothing speaks for itself')
        continue
      }
      const penalty = (2 * together(i, i)) / mean
      const left = [0, 1, 2, 3].reduce(
        (sum, k) => sum + ((model[k] as number[])[j] as number) * (together(i, k) + (i === k ? penalty : 0)),
        0
      )
      t.ok(Math.abs(left - together(i, j)) < 1e-5)
    }
  }
  const narrow = tableOf(new Regressions(set, { keep: 1, users: 0 }, Uint8Array.from([0, 1, 0, 0])).solve({ lambda: 2, growth: 0 }))
  t.equal(narrow.flat().filter(weight => weight !== 0).length, 1, 'one neighbour of one item')
  t.ok(Math.abs((narrow[2]?.[1] as number) - together(1, 2) / (together(2, 2) + 2)) < 1e-6, 'the one that is most like it')
})
