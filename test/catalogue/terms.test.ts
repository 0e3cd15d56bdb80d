import t from 'tap'
import { Terms } from '../../src/catalogue/terms.js'
import { term } from '../helpers/documents.js'

const size = 3000
const terms = new Terms(
  Array.from({ length: size }, (_, i) => term(i + 1, { taxonomy: `taxonomy ${i % 10}`, name: `Name ${String(i % 500).padStart(3, '0')}` }))
)
const query = { page: 1, perPage: 20, order_direction: 'DESC' as const }

t.test('the normal form of a filter leaves out what makes no difference', async t => {
  t.strictSame(terms.normalized({ ...query, taxonomy: ['taxonomy 2', 'none', 'taxonomy 1', 'taxonomy 2'], name: ['constructor'] }), {
    taxonomy: ['taxonomy 1', 'taxonomy 2'],
    name: []
  })
  t.strictSame(terms.normalized(query), { taxonomy: undefined, name: undefined })
})

t.test('a page of a filter has the terms with any of its values in their order', async t => {
  const filter = { taxonomy: ['taxonomy 1', 'taxonomy 2'], name: undefined }
  const { shown, total } = terms.page(filter, 'id', 'ASC', { page: 2, perPage: 3 })
  t.strictSame(
    shown.map(({ _id }) => _id),
    [13, 22, 23]
  )
  t.equal(total, size / 5)
  const both = terms.page({ ...filter, name: ['Name 001', 'Name 002', 'Name 003'] }, 'name', 'DESC', query)
  t.equal(both.total, 12)
  t.strictSame([both.shown[0]?._id, both.shown[11]?._id], [2503, 2])
})

t.test('a term is found by its id', async t => {
  t.equal(terms.byId(size)?._id, size)
  t.equal(terms.byId(size + 1), undefined)
})
