import t from 'tap'
import { isServable } from '../../src/catalogue/servable.js'
import { railCollection } from '../helpers/documents.js'

t.test('a rail collection is served only with a query that an address can have', async t => {
  t.ok(isServable.rail_collections(railCollection(1, { type: 'show' })))
  for (const query of [null, [], 'type=show', { type: null }, { type: { $gt: '' } }])
    t.notOk(isServable.rail_collections({ ...railCollection(1, {}), query } as never), JSON.stringify(query))
})
