import { Decimal128, type Document, Long, ObjectId } from 'mongodb'
import t from 'tap'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { BrokenContents } from '../../src/catalogue/servable.js'
import { connectionTo } from '../../src/database/connection.js'
import { collectionOf, idsOf } from '../helpers/answers.js'
import { build, buildWith } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { content, film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'

/** A date that the wire form cannot express. */
const beyondYears = new Date('+012345-01-01T00:00:00Z')
const beyondSafe = Long.fromString('9223372036854775807')
const decimal = Decimal128.fromString('1.5')

/** Contents below it are on no start page, so they are not read before somebody asks. */
const show = content(9)
const below = { parent_id: 9 }

/** One wrong value of one field each, none of which can be served. */
const odd = (values: Record<string, unknown[]>) =>
  Object.entries(values).flatMap(([field, wrong]) => wrong.map(value => ({ [field]: value }) as Document))

const oddDates = [undefined, null, '2026-01-01T00:00:00Z', 5, beyondYears]
const oddTexts = [undefined, null, 5, ['x'], { en: 'x' }, decimal]
const oddNumbers = [undefined, null, '5', decimal, beyondSafe, {}]

const oddContents = odd({
  type: oddTexts,
  name: oddTexts,
  handler: oddTexts,
  handler_type: oddTexts,
  handler_id: oddTexts,
  thumbnail: oddTexts,
  thumbnail_handler: oddTexts,
  keywords: oddTexts,
  link: oddTexts,
  title: [undefined, null, 'x', ['x'], { en: 5 }, { en: null }],
  description: [undefined, null, 'x', { en: { de: 'x' } }],
  plans: [undefined, null, 'x', [], { a: 'x' }, { a: { id: 'x' } }, { a: { id: 5, vendor_name: 'x' } }],
  pricing: ['x', 5, []],
  payments_asset_id: [5, {}],
  currency: [5, {}],
  price: ['5', decimal, beyondSafe, Number.NaN, {}],
  price_formatted: [5, []],
  purchaseable: oddNumbers,
  parent_id: ['1', decimal, beyondSafe, {}],
  weight: ['1', decimal, beyondSafe, {}],
  position: ['1', decimal, beyondSafe, {}],
  start_date: oddDates,
  end_date: ['never', 5, beyondYears],
  created_at: oddDates,
  updated_at: oddDates,
  stamp: [undefined, null, 'x'],
  deleted_at: ['x', 5, true],
  terms: ['x', 5, ['x'], [null]],
  countries_include: ['SE', 5, [5], [null]],
  countries_exclude: ['SE', {}, [{}]],
  duration: ['90', 0, -1, decimal, beyondSafe, Number.NaN, Number.POSITIVE_INFINITY, {}],
  min_age: ['12', -1, 22, 12.5, decimal, beyondSafe, Number.NaN, {}],
  season: ['1', -1, 1.5, decimal, beyondSafe, Number.NaN, {}],
  episode: ['1', -1, 1.5, decimal, beyondSafe, Number.NaN, Number.POSITIVE_INFINITY, {}],
  external_ids: ['x', 5, ['x'], { imdb: 5 }, { imdb: null }]
})
const numbered = (first: number, wrong: Document[], whole: (id: number) => object): Document[] =>
  wrong.map((fields, i) => ({ ...whole(first + i), ...fields }))
const oddIds = [new ObjectId(), 'nine', decimal, beyondSafe, { toString: 1 }]
const withOddIds = (whole: (id: number) => object): Document[] => oddIds.map(_id => ({ ...whole(1), _id }))

const contentBy = (id: number) => content(id)
const broken = [...numbered(1000, oddContents, contentBy), ...withOddIds(contentBy)]

const warningsIn = (log: string[]) => log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)

t.test('broken contents that other software wrote hide no others', async t => {
  const fine = [content(1), content(2, { countries_include: ['SE'] })]
  const url = await seededUrl(t, { contents: [...fine, ...(broken as ContentDocument[])] })
  // A date of BSON that is beyond those of JavaScript.
  const { client, db } = connectionTo(url)
  await db.collection<{ _id: number }>('contents').insertOne({ ...content(5000) })
  await db.collection<{ _id: number }>('contents').updateOne({ _id: 5000 }, [{ $set: { updated_at: { $toDate: beyondSafe } } }])
  await client.close()
  const log: string[] = []
  const app = await build(t, { url, log })
  t.strictSame(idsOf(await app.inject('/contents?perPage=100')).sort(), [1, 2])
  t.equal((await app.inject('/recommendations')).json().data.length, 2)

  const [told, ...others] = warningsIn(log)
  t.strictSame(others, [])
  t.match(told, { collection: 'contents', count: broken.length + 1 })
  t.equal(told.ids.length, 10)
  t.ok(JSON.stringify(told).length < 3000, 'the line stays short, however long the ids are')
  await app.data.revisions.raise('contents')
  const { checkedAt } = app.catalogue
  await until(() => app.catalogue.checkedAt > checkedAt + 1000)
  t.equal(warningsIn(log).length, 1, 'and nothing is logged a second time')
})

t.test('a content without its nullable fields is served with null in them', async t => {
  const nullable = ['parent_id', 'weight', 'pricing', 'payments_asset_id', 'end_date', 'currency', 'price', 'price_formatted'] as const
  const { countries_include, countries_exclude, terms, position, deleted_at, ...bare } = content(1)
  for (const field of nullable) delete (bare as Partial<ContentDocument>)[field]
  const app = await build(t, { url: await seededUrl(t, { contents: [bare as ContentDocument] }) })
  const { data } = (await app.inject('/contents/1')).json()
  for (const field of [...nullable, 'countries_include', 'countries_exclude']) t.equal(data[field], null, field)
})

t.test('a content that other software breaks while the service runs', async t => {
  const log: string[] = []
  const url = await seededUrl(t, { contents: [show, film(1, below), film(2, below), film(3, below)] })
  const app = await build(t, { url, log })
  const contents = databaseOf(app).collection<ContentDocument>('contents')
  const viewer = await viewerOf(app)
  for (const content_id of [1, 2, 3]) {
    await viewer.post('/history', { content_id, time: 5 })
    await viewer.post('/watchlist', { content_id })
  }

  t.test('is no longer served once the change is announced', async t => {
    await app.inject('/contents/1')
    await contents.updateOne({ _id: 1 }, { $set: { start_date: 'x' as unknown as Date, stamp: new Date() } })
    await app.data.revisions.raise('contents')
    await until(async () => (await app.inject('/contents/1')).statusCode === 404)
    t.strictSame(idsOf(await app.inject('/contents')), [9, 3, 2])
    t.match(warningsIn(log), [{ collection: 'contents', ids: [1], count: 1 }])
  })

  t.test('is a 503 once if the change is not announced, and then no longer served', async t => {
    const log: string[] = []
    const fresh = await build(t, { url, log })
    log.length = 0
    await contents.updateOne({ _id: 2 }, { $unset: { updated_at: '' } })
    await contents.deleteOne({ _id: 3 })
    const answer = await fresh.inject('/contents')
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.strictSame(idsOf(await fresh.inject('/contents')), [9])
    t.equal((await fresh.inject('/contents/2')).statusCode, 404)
    for (const path of ['/history', '/watchlist', '/continue-watching', '/recommendations']) {
      const { statusCode, body } = await fresh.inject({ url: path, headers: viewer.headers })
      t.equal(statusCode, 200, `${path} ${body}`)
    }
    t.match(warningsIn(log), [{ collection: 'contents', ids: [2], count: 1 }])

    // The stamp stays as it was, so only a full comparison finds this. A revision that goes backwards causes one.
    await contents.updateOne({ _id: 2 }, { $set: { updated_at: new Date() } })
    await databaseOf(app)
      .collection<{ _id: string }>('revisions')
      .updateOne({ _id: 'contents' }, { $set: { revision: 0 } })
    await until(async () => (await fresh.inject('/contents/2')).statusCode === 200)
  })

  t.test('is served again once it is repaired', async () => {
    const { stamp, ...mended } = film(1, below)
    await contents.updateOne({ _id: 1 }, { $set: mended, $currentDate: { stamp: true } })
    await app.data.revisions.raise('contents')
    await until(async () => (await app.inject('/contents/1')).statusCode === 200)
  })
})

t.test('contents that were written past the import', async t => {
  const { terms, ...bare } = content(2)
  const app = await buildWith(t, { contents: [show, content(1, below), bare as ContentDocument, content(3, { terms: [7], ...below })] })

  t.test('match no filter by terms if they have none', async t => {
    t.strictSame(idsOf(await app.inject('/contents?terms=7')), [3])
    t.strictSame(idsOf(await app.inject('/contents?ids=2')), [2])
  })
  t.test('are a 503 when their removal is noticed, and then a 404', async t => {
    await databaseOf(app).collection<ContentDocument>('contents').deleteOne({ _id: 1 })
    const { statusCode, headers } = await app.inject('/contents?ids=1,3')
    t.equal(statusCode, 503)
    t.match(headers['retry-after'], /^[1-9]\d*$/)
    t.equal((await app.inject('/contents/1')).statusCode, 404)
    t.strictSame(idsOf(await app.inject('/contents?ids=1,3')), [3])
  })
})

t.test('broken contents that other software wrote', async t => {
  const broken = (odd: Record<string, unknown>) => ({ ...content(1), ...odd }) as unknown as ContentDocument
  const contents = [
    content(1),
    broken({ _id: 2, stamp: undefined }),
    broken({ _id: 3, created_at: null }),
    broken({ _id: 4, start_date: '2026-01-01' }),
    broken({ _id: 5, end_date: 'never' }),
    broken({ _id: 6, name: undefined }),
    broken({ _id: 7, type: 5 }),
    broken({ _id: 8, terms: 'x' }),
    broken({ _id: 'nine' }),
    broken({ _id: 10, countries_include: undefined })
  ]
  const log: string[] = []
  const app = await build(t, { url: await seededUrl(t, { contents }), log })
  t.strictSame(idsOf(await app.inject('/contents')).sort(), [1, 10], 'broken documents do not hide others')
  t.match(
    log.map(line => JSON.parse(line)).find(({ count }) => count),
    { collection: 'contents', ids: [2, 3, 4, 5, 6, 7, 8, 'nine'], count: 8 }
  )

  t.test('and contents that it removed while viewers have elements of them', async t => {
    const viewer = await viewerOf(app)
    const elements = new Map<number, string>()
    for (const content_id of [1, 10]) {
      elements.set(content_id, await watch(viewer, content_id, { time: 5 }))
      await viewer.post('/watchlist', { content_id })
    }
    await databaseOf(app).collection<ContentDocument>('contents').deleteOne({ _id: 10 })
    const fresh = await build(t, { url: app.settings.MONGO_URL })
    const get = (url: string) => fresh.inject({ url, headers: viewer.headers })
    t.match(collectionOf(await get('/history')), [{ content_id: 1, time: 5, percentage: 0 }])
    t.equal(collectionOf(await get('/history')).length, 1)
    t.match(collectionOf(await get('/watchlist')), [{ content_id: 1 }])
    t.equal(collectionOf(await get('/watchlist')).length, 1)
    t.equal((await get(`/history/${elements.get(1)}`)).statusCode, 200)
    t.equal((await get(`/history/${elements.get(10)}`)).statusCode, 404)
  })
})

const told: unknown[][] = []
const reporter = () => {
  told.length = 0
  return new BrokenContents((ids, count) => told.push([ids, count]))
}

t.test('names ten at most, and the number of all', async t => {
  const broken = reporter()
  broken.report([])
  t.strictSame(told, [])
  broken.report(Array.from({ length: 12 }, (_, id) => id))
  t.strictSame(told, [[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 12]])
})

t.test('names ids of any type, and shortens them', async t => {
  const broken = reporter()
  const id = new ObjectId()
  broken.report([id, 'x'.repeat(500), null, { toString: 1 }])
  t.strictSame(told, [[[id.toHexString(), 'x'.repeat(100), '{"id":null}', '{"id":{"toString":1}}'], 4]])
})

t.test('repeats a report after an hour, and reports new documents at once', async t => {
  const broken = reporter()
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  for (let i = 0; i < 3; i++) broken.report([1, 2])
  t.equal(told.length, 1)
  broken.report([1, 2, 3])
  broken.report([4])
  t.equal(told.length, 3)
  Date.now = () => now() + 3_599_000
  broken.report([1, 2, 3])
  t.equal(told.length, 3)
  Date.now = () => now() + 3_601_000
  broken.report([1, 2, 3])
  t.equal(told.length, 4)
})

t.test('forgets the documents that were reported first when there are too many', async t => {
  const broken = reporter()
  const ids = Array.from({ length: 20_000 }, (_, id) => id)
  broken.report(ids)
  broken.report(ids.slice(-1000))
  t.equal(told.length, 1)
  broken.report([1])
  t.equal(told.length, 2)
})
