import t from 'tap'
import { blendOf, mixed, reversed, sorted } from '../../../src/recommendations/model/neighbours.js'
import { rowsOf, tableOf } from './helper.js'

t.test('rows become columns, and two models one', async t => {
  const one = rowsOf(
    [[1, 2]],
    [],
    [
      [1, 3],
      [0, 4]
    ]
  )
  t.strictSame(tableOf(reversed(one)), [
    [0, 0, 4],
    [2, 0, 3],
    [0, 0, 0]
  ])
  const other = sorted(
    rowsOf(
      [
        [2, 1],
        [1, 1]
      ],
      [[0, 5]],
      []
    )
  )
  const both = mixed(blendOf(sorted(one), other), 10)
  t.strictSame(tableOf(both), [
    [0, 12, 10],
    [50, 0, 0],
    [4, 3, 0]
  ])
  t.strictSame([...both.targets], [1, 2, 0, 0, 1], 'ordered by number')
  t.equal(rowsOf(Array.from({ length: 1 << 17 }, (_, at) => [at, 1])).unsorted.targets.at(-1), (1 << 17) - 1, 'with room for many links')
})
