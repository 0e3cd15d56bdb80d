import { setTimeout as sleep } from 'node:timers/promises'
import Ajv from 'ajv'
import type { CommandStartedEvent } from 'mongodb'
import t from 'tap'
import { Content, type Marker } from '../../schemas/content.js'
import { wireFields } from '../../schemas/content-fields.js'
import { trackedBytes } from '../../src/cache.js'
import { everybody } from '../../src/catalogue/audience.js'
import { jsonAnswer, ownBytes } from '../../src/catalogue/bytes.js'
import { type ContentDocument, toContent, withNulls } from '../../src/catalogue/content-documents.js'
import { Fragments } from '../../src/catalogue/fragments.js'
import { type PublicResponse, ResponseCache, type RunInTurn } from '../../src/catalogue/public-responses.js'
import { RailContents } from '../../src/catalogue/rails.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { SupportTexts } from '../../src/catalogue/texts.js'
import { Pacer } from '../../src/overload/pacer.js'
import { collectionOf, idsOf } from '../helpers/answers.js'
import { type App, build, buildWith } from '../helpers/app.js'
import { change, databaseOf, seededUrl } from '../helpers/database.js'
import { content, rail, railCollection, supportText } from '../helpers/documents.js'
import { turnsDuring } from '../helpers/event-loop.js'
import { bytesInUse } from '../helpers/memory.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { seed } from './helper.js'

const pacer = new Pacer()
const run: RunInTurn = job => pacer.run(job)
const valid = { version: 1, now: 1000, until: () => 2000 }

t.test('an answer holds until the catalogue or the clock changes it', async t => {
  const answers = new ResponseCache()
  let made = 0
  const ask = (validity = valid) => answers.get('key', validity, () => jsonAnswer({ made: ++made }), run)
  const { etag } = await ask()
  t.match(etag, /^"[\w+/]{27}"$/)
  t.equal(((await ask({ ...valid, now: 1999 })) as PublicResponse<unknown>).etag, etag)
  t.notOk(ask() instanceof Promise, 'a cached answer needs no waiting')
  t.equal(made, 1)
  await ask({ ...valid, now: 2000 })
  t.equal(made, 2, 'the clock makes the answer obsolete')
  await ask({ ...valid, version: 2 })
  t.equal(made, 3, 'a changed catalogue makes it obsolete')
})

t.test('an answer with an end of its own is not kept beyond it', async t => {
  const answers = new ResponseCache()
  let made = 0
  const ask = (key: string, now: number, until: number) =>
    answers.get(key, { ...valid, now }, () => ({ ...jsonAnswer({ made: ++made }), until }), run)
  await ask('early', 1000, 1500)
  await ask('early', 1499, 1500)
  t.equal(made, 1)
  await ask('early', 1500, 1500)
  t.equal(made, 2)
  await ask('late', 1000, 9000)
  await ask('late', 2000, 9000)
  t.equal(made, 4, 'nor after the time until which all answers are valid')
})

t.test('concurrent requests for the same answer make it once', async t => {
  const answers = new ResponseCache()
  let made = 0
  const make = () => {
    const until = performance.now() + 2
    while (performance.now() < until);
    return jsonAnswer({ made: ++made })
  }
  const all = await Promise.all(Array.from({ length: 20 }, () => answers.get('key', valid, make, run)))
  t.equal(made, 1)
  t.equal(new Set(all).size, 1)
})

t.test('requests for an answer that waits for the database share it', async t => {
  const answers = new ResponseCache()
  let made = 0
  const ask = async (given: object = {}, own: { until?: number; fails?: boolean } = {}) => {
    const { until, fails } = own
    const make = async () => {
      const n = ++made
      await sleep(20)
      if (fails) throw new Error(`failed ${n}`)
      return { ...jsonAnswer({ made: n }), ...(until !== undefined && { until }) }
    }
    const { bytes } = await answers.get('key', { ...valid, ...given }, make, run)
    return JSON.parse(bytes.toString()).made
  }
  const together = (...asked: Promise<unknown>[]) => Promise.all(asked)

  t.strictSame(await together(...Array.from({ length: 20 }, () => ask())), Array(20).fill(1))
  t.strictSame(await together(ask({ version: 2 }), ask({ version: 3 }), ask({ version: 2 })), [2, 3, 2], 'each version has its own')
  t.strictSame(await together(ask({ version: 4 }), ask({ version: 4, now: 2000 })), [4, 5], 'a later request does not get an outdated one')
  t.strictSame(await together(ask({ version: 5 }, { until: 1500 }), ask({ version: 5, now: 1500 })), [6, 7])

  const failed = await Promise.allSettled([ask({ version: 6 }, { fails: true }), ask({ version: 6 }, { fails: true })])
  t.strictSame(
    failed.map(result => result.status === 'rejected' && result.reason.message),
    ['failed 8', 'failed 8']
  )
  t.equal(await ask({ version: 6 }), 9, 'a failure is not kept')
})

t.test('an answer without elements is not kept', async t => {
  const answers = new ResponseCache()
  const ask = (elements: number[]) => answers.get('key', valid, () => jsonAnswer(elements, elements.length === 0), run)
  await ask([])
  t.ok(ask([]) instanceof Promise)
  await ask([1])
  t.notOk(ask([1]) instanceof Promise)
})

t.test('an answer keeps no more memory than it weighs', async t => {
  const filled = async () => {
    const answers = new ResponseCache()
    for (let i = 0; i < 2000; i++) {
      await answers.get(`key ${i}`, valid, () => jsonAnswer(`${i}`.repeat(100)), run)
      // These share the pool of small buffers with the answers.
      for (let n = 0; n < 5; n++) Buffer.from('x'.repeat(1500))
    }
    return answers
  }
  // V8 compiles and optimizes during the first run.
  await filled()
  const before = await bytesInUse()
  const weightBefore = trackedBytes()
  const answers = await filled()
  const weight = trackedBytes() - weightBefore
  const used = (await bytesInUse()) - before
  t.ok(used < weight * 1.5 + 500_000, `${used} bytes, ${weight} by weight`)
  t.notOk(answers.get('key 0', valid, () => jsonAnswer([]), run) instanceof Promise, 'the cached answers are still there')
})

t.test('ownBytes copies small buffers and returns large ones as they are', async t => {
  const small = Buffer.from('small')
  t.equal(ownBytes(small).toString(), 'small')
  t.equal(ownBytes(small).buffer.byteLength, 5)
  const large = Buffer.alloc(10_000)
  t.equal(ownBytes(large), large, 'bytes that share no buffer are not copied')
})

const texts = new SupportTexts([
  supportText(1, 'en'),
  supportText(1, 'de'),
  supportText(2, 'de'),
  supportText(2, 'en'),
  supportText(3, 'en', { context: 'billing' }),
  supportText(3, 'de', { context: 'billing' }),
  supportText(3, 'sv', { context: 'billing' })
])
const variant = (context: string, ...wanted: string[]) => texts.variant(context, texts.existing(wanted)).join()

t.test('wanted languages are those in which there is a text, the most wanted first', async t => {
  t.strictSame(texts.existing(['fr', 'sv-fi', 'xx', 'de', 'sv', 'de-at', 'en']), ['sv', 'de', 'en'])
})

t.test('callers who get the same texts have the same variant', async t => {
  const same: [string, string[][]][] = [
    ['playback', [['de', 'en'], ['de'], ['de-ch', 'en'], ['fr', 'de', 'sv', 'en'], ['sv', 'de'], ['xx', 'yy', 'de']]],
    ['billing', [['sv', 'de', 'en'], ['sv'], ['fr', 'sv', 'en']]],
    ['', [['de'], ['de', 'sv'], ['de', 'en']]],
    ['unknown', [['de'], ['en'], []]]
  ]
  for (const [context, callers] of same) {
    const variants = callers.map(wanted => variant(context, ...wanted))
    t.equal(new Set(variants).size, 1, `${context}: ${variants.join(' | ')}`)
    const answers = callers.map(wanted => JSON.stringify(texts.textsIn(context, texts.existing(wanted))))
    t.equal(new Set(answers).size, 1, context)
  }
  t.notOk(texts.has('unknown'))
})

t.test('callers who get different texts have different variants', async t => {
  const different: [string, string[], string[]][] = [
    ['playback', ['de', 'en'], ['en', 'de']],
    ['billing', ['sv', 'en'], ['en', 'sv']],
    ['', ['de'], ['en']],
    ['', ['sv', 'de'], ['de']]
  ]
  for (const [context, one, other] of different) {
    t.not(variant(context, ...one), variant(context, ...other), context)
    t.notSame(texts.textsIn(context, texts.existing(one)), texts.textsIn(context, texts.existing(other)), context)
  }
})

/** Makes the client say which commands it sends. */
const monitored = (url: string) => `${url}?monitorCommands=true`

/** The collections that the service polls by itself. */
const besides = ['revisions', 'popularity', 'models', 'leases']

/** Records the commands that the app sends to its database, except for its own polling. */
const questionsOf = (app: App) => {
  const questions: string[] = []
  app.mongoClient.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    const collection = command[commandName]
    if (commandName !== 'ping' && !besides.includes(collection)) questions.push(`${commandName} ${collection}`)
  })
  return questions
}

t.test('a list of known contents asks the database nothing', async t => {
  const contents = Array.from({ length: 250 }, (_, i) => content(i + 1, { type: i % 2 ? 'show' : 'film', weight: i }))
  const app = await build(t, { url: monitored(await seededUrl(t, { ...seed(), contents })) })
  const questions = questionsOf(app)
  const asked = async (url: string) => {
    questions.length = 0
    t.equal((await app.inject(url)).statusCode, 200, url)
    return [...questions]
  }

  for (const page of [1, 2, 3]) {
    const first = await asked(`/contents?perPage=100&page=${page}`)
    t.ok(first.length <= 2, `cold: ${first}`)
  }
  const warm = [
    '/contents',
    '/contents?perPage=100',
    '/contents?perPage=100&page=3',
    '/contents?type=film&order_by=name&order_direction=ASC',
    '/contents?ids=1,5,7&order_by=start_date',
    '/contents?terms=4',
    '/contents?perPage=1&page=999',
    '/contents/17',
    '/terms',
    '/terms/1',
    '/rail-collections?with=rails',
    '/legal',
    '/schedule?from=2026-03-01T10:00:00Z',
    '/support/context//texts'
  ]
  for (const url of warm) {
    t.strictSame(await asked(url), [], url)
    t.strictSame(await asked(url), [], `${url} again`)
  }
  t.strictSame(await asked('/contents?search=content&type=film'), [], 'a search does not ask either')
})

t.test('a content that cannot be served is not read again', async t => {
  const app = await build(t, { url: monitored(await seededUrl(t, { contents: [content(1), content(2)] })) })
  const viewer = await viewerOf(app)
  for (const id of [1, 2]) await watch(viewer, id)
  await change(app, 'contents', 2, { name: 5 })
  await until(async () => (await app.inject('/contents/2')).statusCode === 404)
  await viewer.get('/history')
  const questions = questionsOf(app)
  t.strictSame(
    collectionOf(await viewer.get('/history')).map(({ content_id }: { content_id: number }) => content_id),
    [1]
  )
  t.notOk(questions.includes('find contents'), questions.join())
})

t.test('a list that is asked for many times at once is made once', async t => {
  const contents = Array.from({ length: 250 }, (_, i) => content(i + 1))
  const rail_collections = [railCollection(1, {}, { rails: [rail(2, { type: 'show' })] })]
  const proxy = await proxyTo(t, await seededUrl(t, { contents, rail_collections }))
  const app = await build(t, { url: monitored(proxy.url) })
  const questions = questionsOf(app)
  const asked = Promise.all(Array.from({ length: 20 }, () => app.inject('/contents?perPage=100&page=3')))
  proxy.freeze()
  setTimeout(proxy.comeBack, 200)
  t.strictSame(new Set((await asked).map(({ statusCode }) => statusCode)), new Set([200]))
  t.strictSame(questions, ['find contents'])

  const rails = new RailContents(app.catalogue)
  const rows = await Promise.all(Array.from({ length: 20 }, () => rails.first(undefined, 1, everybody)))
  t.equal(new Set(rows.map(([row]) => row?.ids)).size, 1, 'so is a row of a start page')
})

t.test('lists of contents', async t => {
  const app = await buildWith(t, {
    contents: Array.from({ length: 3000 }, (_, i) => content(i + 1, { name: `Film ${i}` }))
  })
  const db = databaseOf(app)
  await db.command({ profile: 2 })
  t.teardown(() => db.command({ profile: 0 }))
  const asked = () =>
    db.collection('system.profile').countDocuments({ ns: `${db.databaseName}.contents`, 'command.filter._id.$in': { $exists: true } })

  for (const url of ['/contents?search=film&perPage=100&page=2', '/contents?perPage=100&page=9', '/contents?type=show&search=fil&page=3']) {
    t.test(`${url} asks the database once at most, and nothing when its contents are known`, async t => {
      const before = await asked()
      t.ok(idsOf(await app.inject(url)).length > 0)
      t.ok((await asked()) - before <= 1)
      const after = await asked()
      t.ok(idsOf(await app.inject(`${url}&order_by=weight`)).length > 0)
      t.equal(await asked(), after)
    })
  }
})

t.test('answers are kept up to a bound, and the oldest is dropped first', async t => {
  const large = (id: number, type: string) => content(id, { type, description: { en: `${id} ${'x'.repeat(1_500_000)}` } })
  const types = ['first', 'second', 'third']
  const contents = types.flatMap((type, i) => [1, 2, 3, 4].map(n => large(i * 4 + n, type)))
  const url = monitored(await seededUrl(t, { contents }))
  // No content fits into the content cache, so every answer that is made again reads the database.
  const app = await build(t, { url, settings: { CONTENT_CACHE_MB: '1' } })
  const questions = questionsOf(app)
  const answers = new Map<string, Buffer>()
  const asked = async (type: string) => {
    questions.length = 0
    const { statusCode, rawPayload } = await app.inject(`/contents?type=${type}`)
    t.equal(statusCode, 200)
    t.ok(rawPayload.equals(answers.get(type) ?? rawPayload), `${type} says the same each time`)
    answers.set(type, rawPayload)
    return questions.filter(question => question.startsWith('find')).length
  }
  for (const type of types) t.equal(await asked(type), 1, `${type} for the first time`)
  t.equal(await asked('third'), 0, 'the latest answer is kept')
  t.equal(await asked('second'), 0, 'so is the one before it')
  t.equal(await asked('first'), 1, 'the oldest is made again')
})

t.test('CONTENT_CACHE_MB bounds what is kept of contents', async t => {
  const size = 20_000
  const count = 150
  const url = await seededUrl(t, {
    contents: Array.from({ length: count }, (_, i) => content(i + 1, { thumbnail: `https://images.example/${'x'.repeat(size)}` }))
  })
  const app = await build(t, { url: monitored(url), settings: { CONTENT_CACHE_MB: '1' } })
  const questions = questionsOf(app)
  const read = async (id: number) => {
    questions.length = 0
    const response = await app.inject(`/contents/${id}`)
    if (response.json().data?.id !== id) t.fail(`content ${id}: ${response.body}`)
    return questions.length === 0
  }
  const ids = Array.from({ length: count }, (_, i) => i + 1)
  const known = []
  for (const id of ids) if (await read(id)) known.push(id)
  t.strictSame(known, [], 'each content is read once')
  let kept = 0
  for (const id of ids.reverse()) if (await read(id)) kept++
  const room = Math.floor(1_048_576 / size)
  t.ok(kept <= room, `${kept} of at most ${room} that fit`)
  t.ok(kept >= room * 0.8, `${kept} of ${room} that fit: the cache is used well`)

  const page = await app.inject('/contents?perPage=100')
  t.equal(idsOf(page).length, 100, 'a page larger than the cache is complete')

  t.test('and a content larger than the whole cache is still served', async t => {
    await change(app, 'contents', 1, { thumbnail: 'y'.repeat(1_500_000) })
    await until(async () => (await app.inject('/contents/1')).json().data.thumbnail.length === 1_500_000)
    t.equal((await app.inject('/contents/2')).statusCode, 200)
  })
})

t.test('the duration of a content asks the database nothing', async t => {
  const contents = [content(1, { duration: 90.5 }), content(2, { duration: null }), content(3)]
  const app = await build(t, { url: monitored(await seededUrl(t, { contents })) })
  const questions = questionsOf(app)
  t.strictSame(
    [1, 2, 3, 777].map(id => app.catalogue.skeleton.lengthOf(id).duration),
    [90.5, undefined, undefined, undefined]
  )
  t.strictSame(questions, [])

  await change(app, 'contents', 2, { duration: 60 })
  await change(app, 'contents', 1, { duration: null })
  await until(() => app.catalogue.skeleton.lengthOf(1).duration === undefined && app.catalogue.skeleton.lengthOf(2).duration === 60)
})

const optional = Object.keys(wireFields)

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
    content(7, {
      duration: 0.5,
      min_age: 0,
      season: 0,
      episode: 0,
      external_ids: { 'a "b"': 'ü', __proto__x: 'c' },
      markers: unsorted,
      year: 2024,
      images: [
        { kind: 'poster', url: 'https://x/"', width: 1, height: 2 },
        { kind: 'logo', url: 'https://x' }
      ],
      age_ratings: [{ country: 'US', system: 'MPAA', value: 'PG' }]
    }),
    content(8, withNulls({})),
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
      t.ok(rawPayload.equals(Buffer.from(JSON.stringify({ success: true, data: { ...one, terms: [] } }))), `content ${one.id}`)
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
  const viewer = fragments.load([5])
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

t.test('a content that is corrected while its broken version is read stays open', async t => {
  const [broken, corrected] = [{ ...content(1), title: 7 } as unknown as ContentDocument, content(1, { stamp: new Date('2031-01-01') })]
  const skeleton = new Skeleton()
  skeleton.put(content(1))
  const reported: number[] = []
  const read = async function* () {
    yield broken
    skeleton.put(corrected)
  }
  const fragments = new Fragments({ skeleton: () => skeleton, read, onBroken: ids => void reported.push(...ids) }, 1_000_000)
  t.strictSame(await fragments.load([1]), [undefined])
  t.strictSame([reported, skeleton.isBroken(1)], [[1], false])
  const still = new Fragments({ skeleton: () => skeleton, read: async function* () {}, onBroken: () => undefined }, 1_000_000)
  await still.load([1])
  t.ok(skeleton.isBroken(1), 'nothing is read')
  t.strictSame([still.hits, still.misses], [0, 1])
  await still.load([1])
  t.strictSame([still.hits, still.misses], [0, 1], 'a broken content is neither a hit nor read again')
})

t.test('making many fragments does not block the event loop', async t => {
  const read = async function* (ids: number[]) {
    for (const id of ids) yield content(id)
  }
  const fragments = new Fragments({ skeleton: () => new Skeleton(), read, onBroken: () => undefined }, 1_000_000)
  const { turns } = await turnsDuring(() => fragments.load(Array.from({ length: 1000 }, (_, id) => id)))
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
  for (const id of contents.keys()) await fragments.load([id])
  const weight = trackedBytes() - weightBefore
  t.equal(weight, fragments.bytes)
  t.ok((await bytesInUse()) - before < weight * 1.2 + 200_000)
})
