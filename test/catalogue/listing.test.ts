import t from 'tap'
import { orderFields } from '../../schemas/contents-query.js'
import { trackedBytes } from '../../src/cache.js'
import { everybody } from '../../src/catalogue/audience.js'
import { type ContentFilter, comparison, defaultOrder, Listing, type SkeletonOrder as Order } from '../../src/catalogue/listing.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { Terms } from '../../src/catalogue/terms.js'
import { content, term } from '../helpers/documents.js'

const now = Date.now()
const size = 30_000
const types = 150
const parents = 5000
const terms = 200

const one = content(1)
const skeleton = new Skeleton()
for (let id = 1; id <= size; id++) {
  const countries_exclude = id % 1000 === 0 ? [`${id % 2000 === 0 ? 'DE' : 'FR'}`] : null
  const own = {
    type: `type-${id % types}`,
    parent_id: id % parents,
    terms: [id % terms, (id * 7) % terms],
    people: [1 + (id % 1000), 1 + ((id * 7) % 1000)],
    weight: id % 100,
    year: id > 9 ? 2000 + (id % 9) : null
  }
  skeleton.put({ ...one, ...own, _id: id, countries_exclude })
}

const from = (country: string) => ({ ...everybody, country })
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)
const page = (filter: ContentFilter, listing = new Listing(skeleton)) =>
  listing.page(filter, defaultOrder, everybody, now, { page: 1, perPage: 100 })

t.test('the open contents are worked out once for each order and region', async t => {
  const listing = new Listing(skeleton)
  const first = listing.open(defaultOrder, from('US'), now)
  t.equal(first.length, size)
  t.equal(listing.open(defaultOrder, from('US'), now), first, 'the second request gets the same array')
  t.equal(listing.open(defaultOrder, from('AT'), now), first, 'countries that no content names share an array')
  const german = listing.open(defaultOrder, from('DE'), now)
  t.equal(german.length, size - size / 2000)
  t.equal(listing.open(defaultOrder, from('FR'), now).length, size - size / 2000)
  t.equal(listing.open(defaultOrder, from('DE'), now), german)
})

t.test('each limit has its own lists, with totals', async t => {
  const skeleton = new Skeleton()
  for (let id = 1; id <= 40; id++) skeleton.put({ ...one, _id: id, min_age: id % 4 === 0 ? null : (id % 4) * 6 })
  const listing = new Listing(skeleton)
  for (const [maxAge, count] of [
    [5, 0],
    [6, 10],
    [11, 10],
    [21, 30],
    [undefined, 40]
  ] as const) {
    const { shown, total } = listing.page({}, defaultOrder, { ...everybody, maxAge }, now, { page: 1, perPage: 7 })
    t.strictSame([shown.length, total], [Math.min(7, count), count], `up to ${maxAge}`)
    const ids = [1, 2, 3, 4]
    const named = listing.page({ ids }, defaultOrder, { ...everybody, maxAge }, now, { page: 1, perPage: 7 })
    t.equal(named.total, count / 10, 'also with a list of ids')
  }
  t.equal(listing.open(defaultOrder, { ...everybody, maxAge: 6 }, now), listing.open(defaultOrder, { ...everybody, maxAge: 7 }, now))
})

t.test('every filter finds the contents with any of its values', async t => {
  const rows = numbers(size)
  const has = (row: number, { type, parent_id, terms, ids }: ContentFilter) =>
    (type?.includes(skeleton.type.get(row)) ?? true) &&
    (parent_id?.includes(skeleton.parent.get(row) as number) ?? true) &&
    (terms?.some(term => skeleton.terms.get(row).includes(term)) ?? true) &&
    (ids?.includes(skeleton.idOf(row)) ?? true)

  const filters: ContentFilter[] = [
    { type: ['type-1', 'type-7', 'unknown'] },
    { parent_id: [0, 1, 2, 4999, 5000] },
    { terms: [0, 3, 199, 200] },
    { type: ['type-1', 'type-2'], terms: [1, 2, 3, 8] },
    { type: ['type-1'], parent_id: [1, 151], terms: [1] },
    { ids: [5, 4, 5, 0, size, size + 1] },
    { ids: [1, 151, 301], type: ['type-1'], terms: [1, 7] },
    { ids: numbers(1500, 1), terms: [0] },
    { type: [] }
  ]
  for (const filter of filters) {
    const { shown, total } = page(filter)
    const wanted = rows.filter(row => has(row, filter))
    const what = JSON.stringify(filter).slice(0, 60)
    t.equal(total, wanted.length, what)
    t.equal(shown.length, Math.min(total, 100), what)
    t.ok(
      shown.every(row => wanted.includes(row)),
      what
    )
    const weights = shown.map(row => skeleton.weight.raw(row))
    t.strictSame(
      weights,
      weights.toSorted((a, b) => b - a),
      'ordered by weight'
    )
  }
})

t.test('of the contents with a rank, lower ranks come first, and equal ones in the order of the list', async t => {
  const ranks = Uint8Array.from(numbers(size), row => row % 4)
  const listing = new Listing(skeleton)
  const all = { page: 1, perPage: size }
  for (const filter of [{}, { type: ['type-1', 'type-2'] }, { ids: numbers(500, 1) }]) {
    const { shown } = listing.page(filter, defaultOrder, everybody, now, all)
    const wanted = [1, 2, 3].flatMap(rank => shown.filter(row => ranks[row] === rank))
    t.strictSame(listing.page(filter, defaultOrder, everybody, now, all, ranks), { shown: wanted, total: wanted.length })
  }
  t.strictSame(listing.page({}, defaultOrder, everybody, now, all, new Uint8Array(0)), { shown: [], total: 0 })
})

t.test('pages follow each other', async t => {
  const listing = new Listing(skeleton)
  const filter = { type: ['type-1', 'type-2'] }
  const at = (page: number) => listing.page(filter, defaultOrder, everybody, now, { page, perPage: 7 }).shown
  const all = listing.page(filter, defaultOrder, everybody, now, { page: 1, perPage: 10_000 }).shown
  t.strictSame([...at(1), ...at(2), ...at(3)], all.slice(0, 21))
  t.strictSame(at(1_000_000), [])
  const last = listing.page({}, defaultOrder, everybody, now, { page: size / 8, perPage: 8 })
  t.equal(last.shown.length, 8)
  t.equal(last.total, size)
})

t.test('the normal form of a filter leaves out what makes no difference', async t => {
  const listing = new Listing(skeleton)
  t.strictSame(
    listing.normalized({
      type: ['type-2', 'type-1', 'type-2', 'no type'],
      parent_id: [77, 5, 6000],
      terms: [9, 500, 8],
      people: [12, 5000, 3, 12],
      ids: [4, size + 1],
      year: [1, 2024, 2001],
      title: size + 1
    }),
    { type: ['type-1', 'type-2'], parent_id: [5, 77], terms: [8, 9], people: [12, 3], ids: [4], year: [2001], title: 0 }
  )
  t.strictSame(listing.normalized({ type: ['constructor'] }).type, [])
  t.strictSame(listing.normalized({}), {
    type: undefined,
    parent_id: undefined,
    terms: undefined,
    people: undefined,
    ids: undefined,
    year: undefined,
    title: undefined
  })
})

/** The least processor time of several runs, in microseconds: what else the machine does only adds to it. */
const costOf = (run: () => void) =>
  Math.min(
    ...numbers(15).map(() => {
      const began = process.cpuUsage()
      run()
      const { user, system } = process.cpuUsage(began)
      return user + system
    })
  )

t.test('a hundred values of every filter cost little more than one', async t => {
  const listing = new Listing(skeleton)
  const few = { type: ['type-1'] }
  const many = {
    type: numbers(100).map(n => `type-${n}`),
    parent_id: numbers(100),
    terms: numbers(100)
  }
  for (let i = 0; i < 5; i++) for (const filter of [few, many]) page(filter, listing)
  const [one, hundred] = [few, many].map(filter => costOf(() => page(filter, listing))) as [number, number]
  t.ok(hundred < 10 * one + 1000, `${hundred} µs and ${one} µs`)
})

t.test('filters that are always new leave nothing behind', async t => {
  const listing = new Listing(skeleton)
  page({}, listing)
  const before = trackedBytes()
  for (let n = 0; n < 1000; n++) page({ type: [`type-${n}`, ...numbers(70).map(i => `${n} ${i} ${'x'.repeat(190)}`)] }, listing)
  t.equal(trackedBytes(), before)
})

t.test('the lists are dropped when a content reaches its start date or is changed', async t => {
  const skeleton = new Skeleton()
  const listing = new Listing(skeleton)
  const at = (offset: number) => new Date(now + offset)
  skeleton.put(content(1))
  skeleton.put(content(2, { start_date: at(1000) }))
  const ids = (time: number) => Array.from(listing.open(defaultOrder, everybody, time), row => skeleton.idOf(row))
  t.strictSame(ids(now), [1])
  t.strictSame(ids(now + 999), [1])
  t.strictSame(ids(now + 1000), [2, 1])
  skeleton.put(content(1, { deleted_at: at(0), stamp: at(1) }))
  t.strictSame(ids(now + 1000), [2])
})

const day = (text: string) => new Date(`${text}T00:00:00Z`)
const filled = (...contents: ReturnType<typeof content>[]) => {
  const skeleton = new Skeleton()
  for (const one of contents) skeleton.put(one)
  return skeleton
}
const idsIn = (skeleton: Skeleton, order: Order) => new Listing(skeleton).rows(order).map(row => skeleton.idOf(row))
const directions = ['ASC', 'DESC'] as const
const skeletonFields = orderFields.filter(field => field !== 'popularity')
const everyOrder = skeletonFields.flatMap(field => directions.map((direction): Order => [field, direction]))

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

t.test('without views, the order by popularity is the default order', async t => {
  const skeleton = filled(content(1, { weight: 1 }), content(2, { weight: 3 }), content(3, { weight: 2 }))
  const listing = new Listing(skeleton)
  const ids = (direction: 'ASC' | 'DESC') =>
    Array.from(listing.open(['popularity', direction], everybody, Date.now()), row => skeleton.idOf(row))
  t.strictSame(
    [ids('DESC'), ids('ASC')],
    [
      [2, 3, 1],
      [1, 3, 2]
    ]
  )
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
  const listing = new Listing(skeleton)
  const ids = () => listing.rows(defaultOrder).map(row => skeleton.idOf(row))
  t.strictSame(ids(), [2, 1])
  skeleton.put(content(3, { weight: 3, stamp: new Date(1) }))
  t.strictSame(ids(), [3, 2, 1])
  skeleton.put(content(2, { weight: 0, stamp: new Date(2) }))
  t.strictSame(ids(), [3, 1, 2])
  for (let id = 4; id <= 2000; id++) skeleton.put(content(id, { weight: id }))
  t.strictSame(ids().slice(0, 3), [2000, 1999, 1998])
  t.equal(new Set(ids()).size, 2000)
})

const allTerms = new Terms(
  Array.from({ length: 3000 }, (_, i) => term(i + 1, { taxonomy: `taxonomy ${i % 10}`, name: `Name ${String(i % 500).padStart(3, '0')}` }))
)
const firstTerms = { page: 1, perPage: 20, order_direction: 'DESC' as const }

t.test('the normal form of a filter of terms leaves out what makes no difference', async t => {
  t.strictSame(
    allTerms.normalized({ ...firstTerms, taxonomy: ['taxonomy 2', 'none', 'taxonomy 1', 'taxonomy 2'], name: ['constructor'] }),
    {
      taxonomy: ['taxonomy 1', 'taxonomy 2'],
      name: []
    }
  )
  t.strictSame(allTerms.normalized(firstTerms), { taxonomy: undefined, name: undefined })
})

t.test('a page of a filter has the terms with any of its values in their order', async t => {
  const filter = { taxonomy: ['taxonomy 1', 'taxonomy 2'], name: undefined }
  const { shown, total } = allTerms.page(filter, 'id', 'ASC', { page: 2, perPage: 3 })
  t.strictSame(
    shown.map(({ _id }) => _id),
    [13, 22, 23]
  )
  t.equal(total, 600)
  const both = allTerms.page({ ...filter, name: ['Name 001', 'Name 002', 'Name 003'] }, 'name', 'DESC', firstTerms)
  t.equal(both.total, 12)
  t.strictSame([both.shown[0]?._id, both.shown[11]?._id], [2503, 2])
})

t.test('a term is found by its id', async t => {
  t.equal(allTerms.byId(3000)?._id, 3000)
  t.equal(allTerms.byId(3001), undefined)
})
