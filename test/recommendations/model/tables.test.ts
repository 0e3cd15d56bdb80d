import t from 'tap'
import { countedGram, gramOf, maxPrecomputed, precomputedGram } from '../../../src/recommendations/model/co-views.js'
import { trainingSetOf, viewCounts } from '../../../src/recommendations/model/interactions.js'
import { heaviest, joined, mixed, tableAt } from '../../../src/recommendations/model/links.js'
import { balanced, reversed, selectBest } from '../../../src/recommendations/model/neighbours.js'
import { freshnessOf, nextEquations } from '../../../src/recommendations/model/next.js'
import { solve, solved } from '../../../src/recommendations/model/regression.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'
import { chain, followers, Succession, surroundings } from '../../../src/recommendations/model/succession.js'
import { ridgeEquations } from '../../../src/recommendations/model/taste.js'
import { walk } from '../../../src/recommendations/model/walk.js'
import { interactions, isNear, rowsOf, tableOf } from './helper.js'
import { dense } from './synthetic.js'

t.test('rows become columns', async t => {
  const one = rowsOf(
    [[1, 2]],
    [],
    [
      [1, 3],
      [0, 4]
    ]
  )
  t.strictSame(tableOf(reversed(one.all())), [
    [0, 0, 4],
    [2, 0, 3],
    [0, 0, 0]
  ])
  const wide = rowsOf(Array.from({ length: 1 << 17 }, () => [0, 1]))
  t.equal(reversed(wide.all()).targets.length, 1 << 17, 'with room for many links')
})

t.test('the best are selected, of equals the lower number', async t => {
  const random = randomFrom(3)
  for (let round = 0; round < 50; round++) {
    const values = Float64Array.from({ length: 40 }, () => Math.floor(random() * 12))
    const items = Uint32Array.from(values, (_, item) => item).sort(() => random() - 0.5)
    const wanted = [...items].sort((a, b) => (values[b] as number) - (values[a] as number) || a - b).slice(0, 10)
    t.equal(selectBest(items, 40, values, 10), 10)
    t.strictSame([[...items.subarray(0, 10)].sort(), new Set(items).size], [wanted.sort(), 40], 'no item is lost')
  }
  t.equal(selectBest(new Uint32Array(3), 3, new Float64Array(3), 3), 3)
})

t.test('tables are balanced by their views, whatever the sign of their weights', async t => {
  // Item 0 has two viewers, the others one.
  const set = trainingSetOf(interactions([0, 1], [0, 2]))
  const table = rowsOf([[1, 3]], [[2, -2]], []).sorted()
  t.strictSame(tableOf(balanced(set, table)), [
    [0, 1.5, 0],
    [0, 0, -1],
    [0, 0, 0]
  ])
  t.strictSame(tableOf(balanced(set, rowsOf([], [], []).sorted())).flat(), Array(9).fill(0), 'nothing stays nothing')
})

t.test('surroundings have each item once, however often it was viewed further away', async t => {
  const history = Array.from({ length: 20 }, (_, item) => item)
  const { starts, targets } = surroundings(trainingSetOf(interactions(history, history, history)), 'after', 50)
  t.strictSame([...targets.subarray(starts[0], starts[1])], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  t.strictSame([...targets.subarray(starts[17], starts[18])], [18, 19])
})

t.test('what is further away takes no place of what is near', async t => {
  const history = Array.from({ length: 20 }, (_, item) => item)
  const near = [0, 5, 11, 12]
  const { starts, targets } = surroundings(trainingSetOf(interactions(history, history, near)), 'after', 2)
  t.strictSame([...targets.subarray(starts[0], starts[1])], [1, 5])
})

const one = rowsOf(
  [[1, 2]],
  [],
  [
    [1, 3],
    [0, 4]
  ]
).sorted()
const other = rowsOf(
  [
    [2, 1],
    [1, 5]
  ],
  [[0, 6]],
  []
).sorted()

t.test('tables lie side by side, the targets of each row in order', async t => {
  t.strictSame(joined([one, other]), {
    starts: Uint32Array.of(0, 2, 3, 5),
    targets: Uint32Array.of(1, 2, 0, 0, 1),
    tables: 2,
    weights: Float32Array.of(2, 5, 0, 1, 0, 6, 4, 0, 3, 0)
  })
  t.strictSame(joined([one]), { ...one, tables: 1 })
})

t.test('a table with fewer rows than another has nothing in the last ones', async t => {
  const longer = { ...rowsOf([], [], [], [[0, 7]]).all(), starts: Uint32Array.of(0, 0, 0, 0, 1) }
  for (const tables of [
    [longer, one],
    [one, longer]
  ]) {
    const { starts, targets, weights } = joined(tables)
    t.strictSame(
      [[...starts], [...targets]],
      [
        [0, 1, 1, 3, 4],
        [1, 0, 1, 0]
      ]
    )
    t.strictSame(
      [...weights].filter(weight => weight !== 0),
      [2, 4, 3, 7]
    )
  }
})

t.test('the targets that weigh most in the counted tables stay', async t => {
  const three = rowsOf(
    [
      [2, -9],
      [1, 1],
      [0, 3]
    ],
    [[0, 1]],
    []
  ).sorted()
  const links = joined([three, other])
  t.strictSame(heaviest(links, 2, [0, 1]), {
    starts: Uint32Array.of(0, 2, 3, 3),
    targets: Uint32Array.of(0, 1, 0),
    tables: 2,
    weights: Float32Array.of(3, 0, 1, 5, 1, 6)
  })
  t.strictSame([...heaviest(links, 1, [0]).targets], [0, 0])
  t.strictSame([...heaviest(links, 1, [1]).targets], [1, 0])
  t.strictSame(heaviest(links, 3, [0]), links)
})

t.test('a table comes back as it was, without what weighs nothing in it', async t => {
  const links = joined([one, other, one])
  t.strictSame(tableAt(links, 0), one)
  t.strictSame(tableAt(links, 1), other)
  t.strictSame(tableAt(links, 2), one)
  t.strictSame([...tableAt(joined([rowsOf([[0, 0]]).all()]), 0).targets], [])
})

t.test('two tables become one, the second with its share', async t => {
  const both = mixed(one, other, 10)
  t.strictSame(tableOf(both), [
    [0, 52, 10],
    [60, 0, 0],
    [4, 3, 0]
  ])
  t.strictSame([...both.targets], [1, 2, 0, 0, 1])
})

const histories = [
  [0, 1, 2],
  [1, 2],
  [0, 2, 3],
  [3, 1],
  [2, 0],
  [0, 1, 2, 3]
]
const set = trainingSetOf(interactions(...histories))
const items = [0, 1, 2, 3]

/** How often `i` was viewed before `j`, less with every view in between. */
const before = (i: number, j: number) =>
  histories.reduce((sum, history) => {
    const distance = history.indexOf(j) - history.indexOf(i)
    return history.includes(i) && history.includes(j) && distance > 0 ? sum + 0.8 ** (distance - 1) : sum
  }, 0)
const views = (i: number) => histories.filter(history => history.includes(i)).length

t.test('the regression of what comes next solves its equations', async t => {
  const model = tableOf(solved(nextEquations(set, { decay: 0.8, keep: 100 }), 2))
  for (const j of items) {
    const near = items.filter(i => before(i, j) > 0)
    for (const i of near) {
      const left = near.reduce((sum, k) => {
        const together = i === k ? views(i) + 2 : 0.8 * (before(i, k) + before(k, i))
        return sum + together * ((model[k] as number[])[j] as number)
      }, 0)
      t.ok(Math.abs(left - before(i, j)) < 1e-5, `${i} before ${j}`)
    }
    t.ok(items.every(i => near.includes(i) || model[i]?.[j] === 0))
  }
  const narrow = tableOf(solved(nextEquations(set, { decay: 0.8, keep: 1 }), 2))
  t.ok(items.every(j => narrow.filter(row => row[j] !== 0).length === 1))
})

t.test('titles that more of their viewers than usual watched last are fresh', async t => {
  const fresh = items.map(item => histories.reduce((sum, h) => (h.includes(item) ? sum + 0.6 ** (h.length - 1 - h.indexOf(item)) : sum), 0))
  const usual = fresh.reduce((a, b) => a + b) / histories.flat().length
  const wanted = items.map(item => ((fresh[item] as number) + 10 * usual) / (views(item) + 10) / usual)
  const found = freshnessOf(set, viewCounts(set))
  t.ok(isNear([[...found]], [wanted]), `${found}`)
  t.ok((found[3] as number) > 1 && (found[0] as number) < 1)
  const nothing = trainingSetOf({ itemCount: 1, starts: Uint32Array.of(0), items: new Uint32Array(0) })
  t.strictSame([...freshnessOf(nothing, viewCounts(nothing))], [0], 'but nothing is where nothing was watched')
})

const counted = (succession: Succession, item: number) => {
  succession.count(item)
  const { items, size, before, after } = succession
  return [...items.subarray(0, size)].sort((a, b) => a - b).map(other => [other, before[other], after[other]])
}

t.test('a view before or after an item counts less with every view in between', async t => {
  const succession = new Succession(trainingSetOf(interactions([0, 1, 2, 3], [2, 1], [4])), distance => 0.5 ** (distance - 1))
  t.strictSame(counted(succession, 1), [
    [0, 1, 0],
    [2, 1, 1],
    [3, 0, 0.5]
  ])
  t.strictSame(counted(succession, 0), [
    [1, 0, 1],
    [2, 0, 0.5],
    [3, 0, 0.25]
  ])
  t.strictSame(counted(succession, 4), [], 'earlier counts leave nothing behind')
})

t.test('views that are far away do not count', async t => {
  const history = Array.from({ length: 60 }, (_, item) => item)
  const succession = new Succession(trainingSetOf(interactions(history)), () => 1)
  t.strictSame(
    counted(succession, 30).map(([other]) => other),
    history.filter(item => item !== 30 && Math.abs(item - 30) <= 20)
  )
})

t.test('a chain is what came after and a little of what came before, less by the distance, and less for what much came after', async t => {
  const set = trainingSetOf(interactions([0, 1, 2], [0, 2], [1, 0]))
  const apart = 2 ** -0.5
  // By source: what came after and 0.2 times what came before.
  const raw = [
    [0, 1 + 0.2, apart + 1],
    [1 + 0.2, 0, 1],
    [0.2 * (1 + apart), 0.2, 0]
  ]
  const table = raw.map(row => row.map(value => value ** 0.7 / row.reduce((a, b) => a + b, 2) ** 0.2))
  const views = [3, 2, 2]
  const sum = table.reduce((sum, row, source) => sum + (views[source] as number) * row.reduce((a, b) => a + b, 0), 0)
  const wanted = table.map(row => row.map(value => (value * 7) / sum))
  t.ok(isNear(tableOf(chain(set, 9)), wanted))
  t.strictSame(
    tableOf(chain(set, 1)).map(row => row.map(value => value > 0)),
    [
      [false, false, true],
      [true, false, false],
      [true, false, false]
    ]
  )
})

t.test('followers are the share of those who went on, and sure only where all of at least three did', async t => {
  const histories = [
    // All three who went on from 0 went on to 2, two of them to 3.
    [0, 2, 3],
    [0, 3, 2],
    [0, 2],
    // Whoever watched 0 last does not count.
    [5, 0],
    // Only two went on from 1, both to 4.
    [1, 4],
    [1, 4]
  ]
  const set = trainingSetOf(interactions(...histories))
  const wanted = [
    [0, 0, 1, 2 / 5, 0, 0],
    [0, 0, 0, 0, 2 / 4, 0],
    [0, 0, 0, 1 / 3, 0, 0],
    [0, 0, 1 / 3, 0, 0, 0],
    [0, 0, 0, 0, 0, 0],
    [1 / 3, 0, 0, 0, 0, 0]
  ]
  t.ok(isNear(tableOf(followers(set, 9)), wanted))
  t.equal(followers(set, 9).targets.length, 6, 'what was watched only before is no follower')
  t.strictSame([...followers(set, 1).targets], [2, 4, 3, 2, 0], 'the largest shares are kept')
  const fourth = trainingSetOf(interactions(...histories, [0, 3]))
  t.ok(isNear([tableOf(followers(fourth, 9))[0] as number[]], [[0, 0, 3 / 6, 3 / 6, 0, 0]]), 'one who went elsewhere makes it unsure')
})

t.test('what comes much later is no follower', async t => {
  const between = (from: number) => Array.from({ length: 20 }, (_, at) => from + at)
  const set = trainingSetOf(interactions([0, ...between(10), 1], [0, ...between(40), 1], [0, ...between(70), 1]))
  t.equal(tableOf(followers(set, 99))[0]?.[1], 0)
})

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
  const model = tableOf(solved(ridgeEquations(set, 100), 2))
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      if (i === j) {
        t.equal(model[i]?.[j], 0, 'an item is not its own neighbour')
        continue
      }
      const left = [0, 1, 2, 3].reduce((sum, k) => sum + ((model[k] as number[])[j] as number) * (together(i, k) + (i === k ? 2 : 0)), 0)
      t.ok(Math.abs(left - together(i, j)) < 1e-5)
    }
  }
  const narrow = tableOf(solved(ridgeEquations(set, 1), 2))
  t.strictSame(
    narrow.map(row => row.map(weight => weight !== 0)),
    [0, 1, 2, 3].map(i => [0, 1, 2, 3].map(j => i === [2, 2, 0, 0][j])),
    'the most similar one'
  )
  t.ok(Math.abs((narrow[2]?.[1] as number) - together(1, 2) / (together(2, 2) + 2)) < 1e-6)
})

t.test('a walk is what the formula says', async t => {
  const histories = [[0, 1, 2], [1, 2], [0, 2, 3], [3, 1], [2]]
  const data = interactions(...histories)
  const set = trainingSetOf(data)
  const views = [0, 1, 2, 3].map(item => histories.filter(history => history.includes(item)).length)
  const shape = { users: 0.65, targets: 0.3, sources: 0.7, keep: 4 }

  const raw = views.map((_, i) =>
    views.map((degree, j) =>
      i === j ? 0 : histories.reduce((sum, h) => sum + (h.includes(i) && h.includes(j) ? h.length ** -0.65 : 0), 0) / degree ** 0.3
    )
  )
  const table = raw.map(row => row.map(weight => weight / row.reduce((sum, one) => sum + one, 0) ** 0.7))
  const total = table.reduce((sum, row, i) => sum + (views[i] as number) * row.reduce((sum, one) => sum + one, 0), 0)
  const wanted = table.map(row => row.map(weight => (weight * data.items.length) / total))

  t.ok(isNear(tableOf(walk(set, shape)), wanted))

  const bestOf = (list: number[]) => list.map(value => (value === Math.max(...list) ? value : 0))
  t.ok(isNear(tableOf(walk(set, { ...shape, keep: 1 })), wanted.map(bestOf)), 'the best ones of each source')
})

t.test('counting all pairs at once and counting by viewers agree, and counting by some viewers nearly does', async t => {
  const set = trainingSetOf(dense({ users: 8000, items: 40, views: 10 }))
  const items = Uint32Array.from([1, 4, 7, 20, 39])
  const filled = (gram: ReturnType<typeof precomputedGram>) => {
    const matrix = new Float64Array(36).fill(Number.NaN)
    gram(items, matrix, 6)
    return [0, 1, 2, 3, 4].map(row => [...matrix.subarray(row * 6, row * 6 + row + 1)])
  }
  const wanted = filled(precomputedGram(set))
  // With too many items for a table of all pairs, they are counted one by one, with the same result.
  t.ok(isNear(filled(gramOf({ ...set, itemCount: maxPrecomputed + 1 })), wanted, 1e-3))
  t.ok(isNear(filled(countedGram(set)), wanted, 1e-3))
  const counted = countedGram(set, 1000)
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
