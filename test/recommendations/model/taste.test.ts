import t from 'tap'
import { countedGram, gramOf, maxPrecomputed, precomputedGram } from '../../../src/recommendations/model/co-views.js'
import { trainingSetOf, userWeights } from '../../../src/recommendations/model/interactions.js'
import { solve, solved } from '../../../src/recommendations/model/regression.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { ridgeEquations } from '../../../src/recommendations/model/taste.js'
import { walk } from '../../../src/recommendations/model/walk.js'
import { interactions, isNear, tableOf } from './helper.js'
import { dense } from './synthetic.js'

t.test('a regression solves its equations', async t => {
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
  const model = tableOf(solved(ridgeEquations(set, { keep: 100, users: 0 }), { lambda: 2, growth: 1 }))
  const mean = histories.flat().length / 4
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      if (i === j) {
        t.equal(model[i]?.[j], 0, 'an item is not its own neighbour')
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
  const narrow = tableOf(solved(ridgeEquations(set, { keep: 1, users: 0 }, Uint8Array.from([0, 1, 0, 0])), { lambda: 2, growth: 0 }))
  t.equal(narrow.flat().filter(weight => weight !== 0).length, 1, 'one neighbour of one item')
  t.ok(Math.abs((narrow[2]?.[1] as number) - together(1, 2) / (together(2, 2) + 2)) < 1e-6, 'the most similar one')
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
  t.ok(isNear(tableOf(walk(set, { ...shape, keep: 1 })), wanted.map(bestOf)), 'the best ones of each source')
  t.ok(
    isNear(
      tableOf(walk(set, { ...shape, keep: 1, per: 'target' })),
      wanted.map((_, i) => columns.map(column => column[i] as number))
    ),
    'the best ones of each target'
  )

  const within = Uint8Array.from([1, 0, 1, 0])
  const narrowed = wanted.map(row => row.map((weight, j) => weight * (within[j] as number)))
  t.ok(isNear(tableOf(walk(set, shape, within)), narrowed))
  t.ok(isNear(tableOf(walk(set, { ...shape, per: 'target' }, within)), narrowed))
})

t.test('counting all pairs at once and counting by viewers agree, and counting by some viewers nearly does', async t => {
  const set = trainingSetOf(dense({ users: 8000, items: 40, views: 10 }))
  const weights = userWeights(set, 0.5)
  const items = Uint32Array.from([1, 4, 7, 20, 39])
  const filled = (gram: ReturnType<typeof precomputedGram>) => {
    const matrix = new Float64Array(36).fill(Number.NaN)
    gram(items, matrix, 6)
    return [0, 1, 2, 3, 4].map(row => [...matrix.subarray(row * 6, row * 6 + row + 1)])
  }
  const wanted = filled(precomputedGram(set, weights))
  // With too many items for a table of all pairs, they are counted one by one, with the same result.
  t.ok(isNear(filled(gramOf({ ...set, itemCount: maxPrecomputed + 1 }, weights)), wanted, 1e-3))
  t.ok(isNear(filled(countedGram(set, weights)), wanted, 1e-3))
  const counted = countedGram(set, weights, 1000)
  const estimates = filled(counted)
  t.notOk(isNear(estimates, wanted, 1e-3))
  t.ok(
    estimates.every((row, i) => Math.abs((row[i] as number) / ((wanted[i] as number[])[i] as number) - 1) < 0.35),
    'the diagonal'
  )
  t.strictSame(filled(counted), estimates, 'earlier counts leave nothing behind')
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
