import t from 'tap'
import { Listing } from '../../src/catalogue/listing.js'
import { defaultOrder } from '../../src/catalogue/orders.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { content } from '../catalogue-data.js'

t.test('lists are kept up to a bound; the one that was not asked for longest goes first', async t => {
  const [size, bound] = [20_000, 4_000_000]
  const skeleton = new Skeleton()
  const one = content(1)
  for (let _id = 1; _id <= size; _id++) skeleton.put({ ...one, _id })
  const listing = new Listing(skeleton)
  const now = Date.now()
  const list = (i: number) => listing.rows({}, defaultOrder, `country ${i}`, now)

  const first = list(0)
  t.equal(first.length, size)
  t.equal(list(0), first, 'what was asked before is not worked out again')
  const second = list(1)
  for (let i = 2; i < bound / size; i++) list(i)
  t.equal(list(0), first)
  const last = list(bound / size)
  t.equal(list(bound / size), last)
  t.equal(list(0), first, 'it was asked for again, so another one went')
  t.not(list(1), second)
  t.strictSame(list(1), second, 'it says the same when it is made anew')
})
