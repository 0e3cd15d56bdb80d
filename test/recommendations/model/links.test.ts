import t from 'tap'
import { heaviest, joined, mixed, tableAt } from '../../../src/recommendations/model/links.js'
import { rowsOf, tableOf } from './helper.js'

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
