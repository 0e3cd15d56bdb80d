import { setImmediate as turn } from 'node:timers/promises'
import Ajv from 'ajv'
import type { CommandStartedEvent } from 'mongodb'
import t, { type Test } from 'tap'
import { Content } from '../schemas/content.js'
import { type ContentDocument, toContent } from '../src/data/contents.js'
import {
  buildWith,
  change,
  content,
  databaseOf,
  idsOf,
  legal,
  programme,
  rail,
  railCollection,
  seededUrl,
  supportText,
  term,
  until
} from './catalogue-data.js'
import { type App, build } from './helper.js'
import { proxyTo } from './proxy.js'
import { collectionOf, viewerOf } from './viewer-data.js'

/** Makes the client say which commands it sends. */
const monitored = (url: string) => `${url}?monitorCommands=true`

/** Counts what the app asks its database, but for the look at the revisions that it takes once a second. */
/** What the service looks at by itself from time to time. */
const besides = ['revisions', 'popularity', 'models', 'leases']

const questionsOf = (app: App) => {
  const questions: string[] = []
  app.mongoClient.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    const collection = command[commandName]
    if (commandName !== 'ping' && !besides.includes(collection)) questions.push(`${commandName} ${collection}`)
  })
  return questions
}

/** Lets the clock of the process go ahead. */
const moveClock = (t: Test, milliseconds: number) => {
  const now = Date.now
  Date.now = () => now() + milliseconds
  const restore = () => {
    Date.now = now
  }
  t.teardown(restore)
  return restore
}

const seed = () => ({
  contents: [content(1, { name: 'Before', weight: 5 }), content(2), content(3, { deleted_at: new Date() }), content(4)],
  terms: [term(1), term(2)],
  rail_collections: [railCollection(1, { type: 'show' }, { rails: [rail(1, { type: 'show' })] })],
  legal_documents: [legal('en'), legal('de')],
  support_texts: [supportText(1, 'en'), supportText(2, 'en')],
  programmes: [
    programme(1, 1, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'),
    programme(2, 2, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z')
  ]
})

const nameOf = async (app: App, id: number) => (await app.inject(`/contents/${id}`)).json().data?.name

t.test('two apps on one database show a change within two seconds', async t => {
  const url = await seededUrl(t, seed())
  const apps = await Promise.all([build(t, { url }), build(t, { url })])
  const [first] = apps
  const urls = [
    '/contents',
    '/contents?type=show',
    '/contents/1',
    '/contents/2',
    '/terms',
    '/terms/1',
    '/rail-collections?with=rails',
    '/legal/de',
    '/legal/en',
    '/support/context//texts',
    '/schedule?from=2026-03-01T10:00:00Z'
  ]
  for (const app of apps) for (const address of urls) t.equal((await app.inject(address)).statusCode, 200)

  const shown = async (app: App) => {
    const [contents, ofType, one, two, back, terms, gone, rails, de, en, texts, schedule] = await Promise.all(
      [...urls.slice(0, 4), '/contents/3', ...urls.slice(4)].map(address => app.inject(address))
    )
    const at = (answer: typeof contents) => answer?.json().data
    return {
      contents: idsOf(contents as never),
      names: at(ofType).collection.map(({ name }: { name: string }) => name),
      changed: at(one).name,
      deleted: two?.statusCode,
      back: back?.statusCode,
      terms: idsOf(terms as never),
      term: gone?.statusCode,
      rails: at(rails).collection.map((collection: { name: string; rails: unknown[] }) => [collection.name, collection.rails.length]),
      removedLegal: de?.statusCode,
      legal: at(en).title,
      texts: at(texts).map(({ id }: { id: number }) => id),
      schedule: idsOf(schedule as never)
    }
  }
  await change(first, 'contents', 1, { name: 'After' })
  await change(first, 'contents', 2, { deleted_at: new Date() })
  await change(first, 'contents', 3, { deleted_at: null })
  const { _id, ...fresh } = content(5, { name: 'Fresh', weight: 7 })
  await change(first, 'contents', _id, fresh)
  await change(first, 'terms', 1)
  await change(first, 'rail_collections', 1, { name: 'Renamed', rails: [] })
  await change(first, 'legal_documents', 'de')
  await change(first, 'legal_documents', 'en', { title: 'New terms' })
  await change(first, 'support_texts', '1/en')
  await change(first, 'programmes', 1)
  const raised = Date.now()

  const expected = {
    contents: [5, 1, 4, 3],
    names: ['Fresh', 'After', 'Content 4', 'Content 3'],
    changed: 'After',
    deleted: 404,
    back: 200,
    terms: [2],
    term: 404,
    rails: [['Renamed', 0]],
    removedLegal: 404,
    legal: 'New terms',
    texts: [2],
    schedule: []
  }
  const text = JSON.stringify(expected)
  for (const app of apps) await until(async () => JSON.stringify(await shown(app)) === text, { within: 3000 }).catch(() => undefined)
  const took = Date.now() - raised
  for (const app of apps) t.strictSame(await shown(app), expected)
  t.ok(took < 2000, `it took ${took} ms`)
})

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
  t.strictSame(await asked('/contents?search=content&type=film'), [], 'not even a search')
})

// The timeout is that of production where the database is likeliest to need it.
for (const [away, settings] of [
  ['freeze', { DATABASE_TIMEOUT: '2000' }],
  ['silence', { DATABASE_TIMEOUT: '1000' }],
  ['leave', { DATABASE_TIMEOUT: '1000' }]
] as const) {
  t.test(`while the database is away (${away})`, async t => {
    const url = await seededUrl(t, { ...seed(), contents: [...seed().contents, content(9, { type: 'unread' })] })
    const proxy = await proxyTo(t, url)
    const app = await build(t, { url: proxy.url, settings })
    const known = [
      '/contents?type=show',
      '/contents/1',
      '/terms',
      '/terms/1',
      '/rail-collections?with=rails',
      '/legal',
      '/support/context//texts'
    ]
    const answers = new Map<string, string>()
    for (const address of known) answers.set(address, (await app.inject(address)).body)

    proxy[away]()
    const isKnown = async (what: string) => {
      for (const address of known) {
        const response = await app.inject(address)
        t.equal(response.statusCode, 200, `${address} ${what}`)
        t.equal(response.body, answers.get(address), `${address} ${what}`)
      }
    }
    const isUnavailable = async (address: string) => {
      const began = performance.now()
      const response = await app.inject(address)
      const took = performance.now() - began
      t.equal(response.statusCode, 503, address)
      t.match(response.json(), { success: false, code: 503, message: String })
      t.match(response.headers['retry-after'], /^\d+$/)
      t.notMatch(response.headers['cache-control'], /public/)
      t.ok(took < 3000, `${address} took ${took} ms`)
    }
    await isKnown('is served')
    await Promise.all(['/contents?search=9', '/contents/9', '/contents?type=unread'].map(isUnavailable))
    await isKnown('is served on')

    let restore = moveClock(t, 50_000)
    await isKnown('is served for nearly a minute')
    restore()
    restore = moveClock(t, 63_000)
    for (const address of known) await isUnavailable(address)

    proxy.comeBack()
    const back = Date.now()
    await until(async () => (await app.inject('/contents/1')).statusCode === 200, { within: 6000, every: 50 })
    for (const address of [...known, '/contents?search=9', '/contents/9'])
      await until(async () => (await app.inject(address)).statusCode === 200, { within: 6000, every: 50 })
    t.ok(Date.now() - back < 5000, `normal after ${Date.now() - back} ms`)
    await isKnown('is served again')
    restore()

    const direct = await build(t, { url })
    await change(direct, 'contents', 1, { name: 'After' })
    t.ok((await until(async () => (await nameOf(app, 1)) === 'After')) < 2000, 'changes show again')
  })
}

t.test('a look at the changes that never gets its answer holds up no other', async t => {
  const url = await seededUrl(t, seed())
  const proxy = await proxyTo(t, url)
  const [app, direct] = [await build(t, { url: proxy.url }), await build(t, { url })]
  const lost = proxy.at('terms', proxy.loseConnections)
  await change(direct, 'terms', 1, { name: 'After' })
  await lost
  const took = await until(async () => (await app.inject('/terms/1')).json().data?.name === 'After', { within: 8000, every: 100 }).catch(
    () => 8000
  )
  t.ok(took < 5000, `a database that answers new connections is there again, yet after ${took} ms the change did not show`)
})

t.test('answers are kept up to a bound, and the one that was made first goes first', async t => {
  const large = (id: number, type: string) => content(id, { type, description: { en: `${id} ${'x'.repeat(1_500_000)}` } })
  const types = ['first', 'second', 'third']
  const contents = types.flatMap((type, i) => [1, 2, 3, 4].map(n => large(i * 4 + n, type)))
  const url = monitored(await seededUrl(t, { contents }))
  // No content fits into the memory for contents, so that an answer which is made anew asks the database.
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
  t.equal(await asked('third'), 0, 'the last is kept')
  t.equal(await asked('second'), 0, 'with the one before')
  t.equal(await asked('first'), 1, 'the first is made anew')
})

t.test('contents that were written past the import', async t => {
  const { terms, ...bare } = content(2)
  const app = await buildWith(t, { contents: [content(1), bare as ContentDocument, content(3, { terms: [7] })] })

  t.test('are in no list of terms where they have none', async t => {
    t.strictSame(idsOf(await app.inject('/contents?terms=7')), [3])
    t.strictSame(idsOf(await app.inject('/contents?ids=2')), [2])
  })
  t.test('are a 503 when their removal is found, and then not there', async t => {
    await databaseOf(app).collection<ContentDocument>('contents').deleteOne({ _id: 1 })
    const { statusCode, headers } = await app.inject('/contents?ids=1,3')
    t.equal(statusCode, 503)
    t.match(headers['retry-after'], /^[1-9]\d*$/)
    t.equal((await app.inject('/contents/1')).statusCode, 404)
    t.strictSame(idsOf(await app.inject('/contents?ids=1,3')), [3])
  })
})

t.test('contents that another hand has put into the database', async t => {
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
  t.strictSame(idsOf(await app.inject('/contents')).sort(), [1, 10], 'take no other away')
  t.match(
    log.map(line => JSON.parse(line)).find(({ count }) => count),
    { collection: 'contents', ids: [2, 3, 4, 5, 6, 7, 8, 'nine'], count: 8 }
  )

  t.test('and that it has taken away, while viewers have elements of them', async t => {
    const viewer = await viewerOf(app)
    for (const content_id of [1, 10]) {
      await viewer.post('/history', { content_id, time: 5 })
      await viewer.post('/watchlist', { content_id })
    }
    const history = databaseOf(app).collection('history')
    await history.updateMany({ content_id: 1 }, { $unset: { time: '', percentage: '' } })
    await databaseOf(app).collection<ContentDocument>('contents').deleteOne({ _id: 10 })
    const fresh = await build(t, { url: app.settings.MONGO_URL })
    const get = (url: string) => fresh.inject({ url, headers: viewer.headers })
    t.match(collectionOf(await get('/history')), [{ content_id: 1, time: 0, percentage: 0 }])
    t.equal(collectionOf(await get('/history')).length, 1)
    t.match(collectionOf(await get('/watchlist')), [{ content_id: 1 }])
    t.equal(collectionOf(await get('/watchlist')).length, 1)
  })
})

t.test('the bytes of contents', async t => {
  const ajv = new Ajv.default({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/ } })
  const fits = ajv.compile(Content)
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
    content(6, { description: { en: 'x'.repeat(100_000) } })
  ]
  const app = await buildWith(t, { contents })

  const sorted = contents.sort((a, b) => (b.weight ?? -1000) - (a.weight ?? -1000) || b._id - a._id)
  const stored = await databaseOf(app).collection<ContentDocument>('contents').find().toArray()
  const wire = sorted.flatMap(({ _id }) => stored.filter(document => document._id === _id)).map(toContent)

  t.test('are those of JSON.stringify', async t => {
    const meta = { page: 1, per_page: 100, next_page: false, prev_page: false, total_pages: 1, total_count: 6 }
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
    t.equal(data.collection.length, 6)
    for (const one of data.collection) {
      t.ok(fits(one), JSON.stringify(fits.errors))
      t.strictSame(Object.keys(one), Object.keys(Content.properties), 'field by field')
    }
  })
})

t.test('a content read just before a change is not stale for ever', async t => {
  const url = await seededUrl(t, { contents: [content(1, { name: 'version 0' }), content(2)] })
  const [writer, app] = [await build(t, { url }), await build(t, { url })]
  const documents = databaseOf(writer).collection<ContentDocument>('contents')
  const write = (version: number) => documents.updateOne({ _id: 1 }, [{ $set: { name: `version ${version}`, stamp: '$$NOW' } }])
  const shown = async () => {
    const [alone, listed] = [await app.inject('/contents/1'), await app.inject('/contents?ids=1')]
    if (alone.statusCode !== 200 || listed.statusCode !== 200) throw new Error(`${alone.body} ${listed.body}`)
    return [alone.json().data.name, listed.json().data.collection[0].name]
  }
  const shows = async (version: number) => {
    const took = await until(async () => (await shown()).every(name => name === `version ${version}`))
    t.ok(took < 2000, `version ${version} after ${took} ms`)
  }

  // Read between the write and the raising of the revision, and again between two writes.
  await write(1)
  await shown()
  await write(2)
  await shown()
  await writer.data.revisions.raise('contents')
  await shows(2)

  let reading = true
  const readers = [1, 2, 3].map(async () => {
    while (reading) {
      await shown()
      // Answers from memory would leave the loop of events no turn.
      await turn()
    }
  })
  for (let version = 3; version <= 60; version++) {
    await write(version)
    await writer.data.revisions.raise('contents')
  }
  await shows(60)
  reading = false
  await Promise.all(readers)
  t.strictSame(await shown(), ['version 60', 'version 60'])
})

t.test('what a slower clock stamped long ago is found by the comparison of all', async t => {
  const app = await buildWith(t, seed())
  const hourAgo = new Date(Date.now() - 3_600_000)
  await databaseOf(app)
    .collection<ContentDocument>('contents')
    .insertOne(content(8, { stamp: hourAgo }))
  await databaseOf(app)
    .collection<ContentDocument>('contents')
    .updateOne({ _id: 1 }, { $set: { name: 'After', stamp: hourAgo } })
  await app.data.revisions.raise('contents')
  const restore = moveClock(t, 11 * 60_000)
  await until(async () => (await app.inject('/contents/8')).statusCode === 200)
  t.equal(await nameOf(app, 1), 'After')
  restore()
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
    t.equal(response.json().data?.id, id)
    return questions.length === 0
  }
  const ids = Array.from({ length: count }, (_, i) => i + 1)
  for (const id of ids) t.notOk(await read(id), 'each is read once')
  let kept = 0
  for (const id of ids.reverse()) if (await read(id)) kept++
  const room = Math.floor(1_048_576 / size)
  t.ok(kept <= room, `${kept} of at most ${room} that fit`)
  t.ok(kept >= room * 0.8, `${kept} of ${room} that fit: the room is used`)

  const page = await app.inject('/contents?perPage=100')
  t.equal(idsOf(page).length, 100, 'a page larger than the room is whole')

  t.test('and one content larger than all the room is still served', async t => {
    await change(app, 'contents', 1, { thumbnail: 'y'.repeat(1_500_000) })
    await until(async () => (await app.inject('/contents/1')).json().data.thumbnail.length === 1_500_000)
    t.equal((await app.inject('/contents/2')).statusCode, 200)
  })
})
