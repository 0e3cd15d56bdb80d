import Ajv from 'ajv'
import t from 'tap'
import { Content, type Marker } from '../../schemas/content.js'
import { trackedBytes } from '../../src/cache.js'
import { Fragments } from '../../src/catalogue/bytes.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { type ContentDocument, toContent } from '../../src/data/contents.js'
import { buildWith } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { content } from '../helpers/documents.js'
import { turnsDuring } from '../helpers/event-loop.js'
import { bytesInUse } from '../helpers/memory.js'

const optional = ['duration', 'min_age', 'season', 'episode', 'external_ids', 'markers']

t.test('the bytes of contents', async t => {
  const ajv = new Ajv.default({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/ } })
  const fits = ajv.compile(Content)
  const unsorted: Marker[] = [
    { type: 'credits', start: 9.5, end: null },
    { type: 'intro', start: 0, end: 2 }
  ]
  const contents: ContentDocument[] = [
    content(1),
    content(2, { parent_id: 1, weight: -5, position: 3, terms: [1, 2], end_date: new Date('2999-01-01T00:00:00.001Z') }),
    content(3, { title: { en: 'ü "q" \\ \n \u0000 \u2028 😀', 'zh-hant': '長' }, description: { en: '}' }, keywords: ',{}' }),
    content(4, { title: { __proto__x: 'a', constructor: 'b', '1': 'c' }, plans: { p: { id: 'p', vendor_name: 'P' } } }),
    content(5, {
      pricing: { deep: [{ a: null, b: 1.5, c: true, e: 'x' }], empty: {} },
      payments_asset_id: 'asset',
      countries_include: [],
      countries_exclude: ['US', 'GB'],
      currency: 'EUR',
      price: 1e-7,
      price_formatted: '€',
      purchaseable: 1
    }),
    content(6, { description: { en: 'x'.repeat(100_000) } }),
    content(7, { duration: 0.5, min_age: 0, season: 0, episode: 0, external_ids: { 'a "b"': 'ü', __proto__x: 'c' }, markers: unsorted }),
    content(8, { duration: null, min_age: null, season: null, episode: null, external_ids: null, markers: null }),
    content(9, { external_ids: {}, markers: [] })
  ]
  const app = await buildWith(t, { contents })

  const sorted = contents.sort((a, b) => (b.weight ?? -1000) - (a.weight ?? -1000) || b._id - a._id)
  const stored = await databaseOf(app).collection<ContentDocument>('contents').find().toArray()
  const wire = sorted.flatMap(({ _id }) => stored.filter(document => document._id === _id)).map(toContent)

  t.test('are those of JSON.stringify', async t => {
    const meta = { page: 1, per_page: 100, next_page: false, prev_page: false, total_pages: 1, total_count: 9 }
    for (const what of ['cold', 'warm']) {
      const { rawPayload } = await app.inject(`/contents?perPage=100&x=${what}`)
      const { data } = JSON.parse(rawPayload.toString())
      const inOrder = data.collection.map(({ id }: { id: number }) => wire.find(one => one.id === id))
      t.ok(rawPayload.equals(Buffer.from(JSON.stringify({ success: true, data: { collection: inOrder, meta } }))), what)
    }
    for (const one of wire) {
      const { rawPayload } = await app.inject(`/contents/${one.id}`)
      t.ok(rawPayload.equals(Buffer.from(JSON.stringify({ success: true, data: one }))), `content ${one.id}`)
    }
  })

  t.test('fit the schema', async t => {
    const { data } = (await app.inject('/contents?perPage=100')).json()
    t.equal(data.collection.length, 9)
    const given: Record<number, string[]> = { 7: optional, 9: ['external_ids'] }
    const always = Object.keys(Content.properties).filter(field => !optional.includes(field))
    for (const one of data.collection) {
      t.ok(fits(one), JSON.stringify(fits.errors))
      if (one.markers) t.strictSame(one.markers, unsorted.toReversed(), 'by start')
      t.strictSame(Object.keys(one), [...always, ...(given[one.id] ?? [])], 'field by field')
    }
  })
})

t.test('at most two public lists read from the database at once, and viewers need not wait for them', async t => {
  const ends: (() => void)[] = []
  const begun: number[][] = []
  const read = async function* (ids: number[]) {
    begun.push(ids)
    await new Promise<void>(resolve => ends.push(resolve))
    for (const id of ids) yield content(id)
  }
  const fragments = new Fragments({ skeleton: () => new Skeleton(), read, onBroken: () => undefined }, 1_000_000)
  const someTurns = async () => {
    for (let n = 0; n < 10; n++) await new Promise(setImmediate)
  }

  const lists = [1, 2, 3, 4].map(id => fragments.forPublicList([id]))
  await someTurns()
  t.strictSame(begun, [[1], [2]])
  const viewer = fragments.of([5])
  await someTurns()
  t.strictSame(begun, [[1], [2], [5]])
  ends[0]?.()
  await someTurns()
  t.strictSame(begun, [[1], [2], [5], [3]])
  for (let i = 1; i < 5; i++) {
    ends[i]?.()
    await someTurns()
  }
  t.equal((await viewer).length, 1)
  t.equal((await Promise.all(lists)).length, 4)
})

t.test('making many fragments does not block the event loop', async t => {
  const read = async function* (ids: number[]) {
    for (const id of ids) yield content(id)
  }
  const fragments = new Fragments({ skeleton: () => new Skeleton(), read, onBroken: () => undefined }, 1_000_000)
  const { turns } = await turnsDuring(() => fragments.of(Array.from({ length: 1000 }, (_, id) => id)))
  t.ok(turns >= 5, `${turns} turns`)
})

t.test('fragments keep no more memory than they weigh', async t => {
  const skeleton = new Skeleton()
  const contents = new Map(Array.from({ length: 1000 }, (_, id) => [id, content(id, { name: 'n'.repeat(200) })]))
  for (const one of contents.values()) skeleton.put(one)
  const fragments = new Fragments(
    {
      skeleton: () => skeleton,
      read: async function* (ids) {
        // These share the slabs of small buffers with the fragments.
        for (let n = 0; n < 10; n++) Buffer.from('x'.repeat(1500))
        for (const id of ids) yield contents.get(id) as ContentDocument
      },
      onBroken: () => undefined
    },
    10_000_000
  )
  const before = await bytesInUse()
  const weightBefore = trackedBytes()
  for (const id of contents.keys()) await fragments.of([id])
  const weight = trackedBytes() - weightBefore
  t.equal(weight, fragments.bytes)
  t.ok((await bytesInUse()) - before < weight * 1.2 + 200_000)
})
