import t from 'tap'
import { orderFields } from '../../schemas/contents-query.js'
import { comparison, defaultOrder, type Order, Orders } from '../../src/catalogue/listing.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { content } from '../helpers/documents.js'

const day = (text: string) => new Date(`${text}T00:00:00Z`)
const filled = (...contents: ReturnType<typeof content>[]) => {
  const skeleton = new Skeleton()
  for (const one of contents) skeleton.put(one)
  return skeleton
}
const idsIn = (skeleton: Skeleton, order: Order) => new Orders(skeleton).rows(order).map(row => skeleton.idOf(row))
const directions = ['ASC', 'DESC'] as const
const everyOrder = orderFields.flatMap(field => directions.map((direction): Order => [field, direction]))

t.test('contents without a weight come last, the newest first among equals', async t => {
  const skeleton = filled(
    content(1, { weight: null, start_date: day('2026-01-03') }),
    content(2, { weight: 0, start_date: day('2026-01-01') }),
    content(3, { weight: -7, start_date: day('2026-01-01') }),
    content(4, { weight: 0, start_date: day('2026-01-02') }),
    content(5, { weight: null, start_date: day('2026-01-04') }),
    content(6, { weight: 9, start_date: day('2020-01-01') })
  )
  t.strictSame(idsIn(skeleton, defaultOrder), [6, 4, 2, 3, 5, 1])
  const upwards = idsIn(skeleton, ['weight', 'ASC'])
  t.strictSame(upwards.slice(0, 1), [3])
  t.equal(upwards[3], 6)
  t.strictSame(upwards.slice(4).sort(), [1, 5])
})

t.test('every order is total, and does not depend on what was there first', async t => {
  const contents = Array.from({ length: 60 }, (_, i) =>
    content(i + 1, {
      weight: [null, 0, 1, -1][i % 4] as number | null,
      name: ['Ä', 'a', 'B', 'b'][i % 3] as string,
      start_date: day(`2026-01-0${(i % 2) + 1}`),
      created_at: day(`2026-02-0${(i % 5) + 1}`)
    })
  )
  const shuffled = contents.toSorted((a, b) => ((a._id * 37) % 61) - ((b._id * 37) % 61))
  for (const order of everyOrder) {
    t.strictSame(idsIn(filled(...contents), order), idsIn(filled(...shuffled), order), order.join(' '))
    const skeleton = filled(...contents)
    const compare = comparison(skeleton, order)
    const wrong = []
    for (let a = 0; a < 60; a++) {
      for (let b = 0; b < 60; b++) {
        const isTotal = Math.sign(compare(a, b)) === 0 - Math.sign(compare(b, a)) && (compare(a, b) === 0) === (a === b)
        if (!isTotal) wrong.push([a, b])
      }
    }
    t.strictSame(wrong, [], order.join(' '))
  }
})

t.test('an order that is kept follows changes and additions', async t => {
  const skeleton = filled(content(1, { weight: 1 }), content(2, { weight: 2 }))
  const orders = new Orders(skeleton)
  const ids = () => orders.rows(defaultOrder).map(row => skeleton.idOf(row))
  t.strictSame(ids(), [2, 1])
  skeleton.put(content(3, { weight: 3, stamp: new Date(1) }))
  t.strictSame(ids(), [3, 2, 1])
  skeleton.put(content(2, { weight: 0, stamp: new Date(2) }))
  t.strictSame(ids(), [3, 1, 2])
  for (let id = 4; id <= 2000; id++) skeleton.put(content(id, { weight: id }))
  t.strictSame(ids().slice(0, 3), [2000, 1999, 1998])
  t.equal(new Set(ids()).size, 2000)
})
