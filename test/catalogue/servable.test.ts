import { ObjectId } from 'mongodb'
import t from 'tap'
import { BrokenReporter, isServable } from '../../src/catalogue/servable.js'
import { railCollection } from '../helpers/documents.js'

t.test('a rail collection is served only with a query that an address can have', async t => {
  t.ok(isServable.rail_collections(railCollection(1, { type: 'show' })))
  for (const query of [null, [], 'type=show', { type: null }, { type: { $gt: '' } }])
    t.notOk(isServable.rail_collections({ ...railCollection(1, {}), query } as never), JSON.stringify(query))
})

const told: unknown[][] = []
const reporter = () => {
  told.length = 0
  return new BrokenReporter((collection, ids, count) => told.push([collection, ids, count]))
}

t.test('names ten at most, and the number of all', async t => {
  const broken = reporter()
  broken.report('terms', [])
  t.strictSame(told, [])
  broken.report(
    'terms',
    Array.from({ length: 12 }, (_, id) => id)
  )
  t.strictSame(told, [['terms', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 12]])
})

t.test('names ids of any type, and shortens them', async t => {
  const broken = reporter()
  const id = new ObjectId()
  broken.report('history', [id, 'x'.repeat(500), null, { toString: 1 }])
  t.strictSame(told, [['history', [id.toHexString(), 'x'.repeat(100), '{"id":null}', '{"id":{"toString":1}}'], 4]])
})

t.test('repeats a report after an hour, and reports new documents at once', async t => {
  const broken = reporter()
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  for (let i = 0; i < 3; i++) broken.report('terms', [1, 2])
  t.equal(told.length, 1)
  broken.report('terms', [1, 2, 3])
  broken.report('contents', [1])
  t.equal(told.length, 3)
  Date.now = () => now() + 3_599_000
  broken.report('terms', [1, 2, 3])
  t.equal(told.length, 3)
  Date.now = () => now() + 3_601_000
  broken.report('terms', [1, 2, 3])
  t.equal(told.length, 4)
})

t.test('forgets the documents that were reported first when there are too many', async t => {
  const broken = reporter()
  const ids = Array.from({ length: 20_000 }, (_, id) => id)
  broken.report('terms', ids)
  broken.report('terms', ids.slice(-1000))
  t.equal(told.length, 1)
  broken.report('terms', [1])
  t.equal(told.length, 2)
})
