import t from 'tap'
import { trainingSetOf } from '../../../src/recommendations/model/training-set.js'
import { walk } from '../../../src/recommendations/model/walk.js'
import { interactions, isNear, tableOf } from './helper.js'

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
