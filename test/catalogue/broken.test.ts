import t from 'tap'
import { Broken } from '../../src/catalogue/broken.js'
import { isServable } from '../../src/catalogue/servable.js'
import { railCollection } from '../catalogue-data.js'

t.test('a rail collection is served only with a query that an address can have', async t => {
  t.ok(isServable.rail_collections(railCollection(1, { type: 'show' })))
  for (const query of [null, [], 'type=show', { type: null }, { type: { $gt: '' } }])
    t.notOk(isServable.rail_collections({ ...railCollection(1, {}), query } as never), JSON.stringify(query))
})

t.test('documents that were named are named again when too many others have come since', async t => {
  const named: unknown[][] = []
  const broken = new Broken((_collection, ids) => void named.push([...ids]))
  broken.report('contents', [1])
  broken.report('contents', [1])
  t.equal(named.length, 1)
  for (let id = 2; id < 20_000; id++) broken.report('contents', [id])
  const before = named.length
  broken.report('contents', [1])
  t.equal(named.length, before + 1)
})
