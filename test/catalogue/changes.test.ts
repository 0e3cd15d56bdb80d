import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Catalogue } from '../../src/catalogue/catalogue.js'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { idsOf } from '../helpers/answers.js'
import { type App, build, buildWith } from '../helpers/app.js'
import { change, databaseOf, seededUrl } from '../helpers/database.js'
import { content } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { moveClock, nameOf, seed } from './helper.js'

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

t.test('a check for changes whose answer is lost does not block the next one', async t => {
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
      // Without this, answers from memory would never end the turn of the event loop.
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

t.test('a document with an old stamp from a slow clock is found by the full comparison', async t => {
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

t.test('changes do not wait until the words of earlier ones are read, and searches find both', async t => {
  const log: string[] = []
  const app = await buildWith(t, { contents: [content(1), content(2)] }, { log })
  const warnings = () => log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)
  const { contents } = app.pollData
  const { words } = contents
  let reads = 0
  let read: typeof words | undefined
  const held = async function* (ids?: number[]) {
    reads++
    await until(() => read !== undefined)
    yield* (read as typeof words)(ids)
  }
  let failures = 0
  const failing = () => {
    failures++
    throw new Error('the words cannot be read')
  }
  Object.assign(contents, { words: held })
  const rename = (id: number, name: string) =>
    change(app, 'contents', id, { name, words: { names: [name], keywords: [], description: [] } })
  await rename(1, 'first')
  await until(() => reads === 1)
  await rename(2, 'second')
  t.ok((await until(async () => (await nameOf(app, 2)) === 'second')) < 2000)
  const found = async (search: string) => idsOf(await app.inject(`/contents?search=${search}`))
  t.strictSame(await found('second'), [])

  read = failing
  await until(() => failures > 2)
  read = words
  await until(async () => (await found('second')).length === 1)
  t.strictSame([await found('first'), await found('second')], [[1], [2]])
  t.match(warnings(), [{ msg: /^the search index could not be updated/ }])
  t.equal(warnings().length, 1, 'one for several failures in a row')

  read = undefined
  reads = 0
  failures = 0
  await rename(1, 'third')
  await until(() => reads === 1)
  await app.close()
  read = failing
  await until(() => failures > 0)
  await turn()
  t.equal(warnings().length, 1, 'nothing is said of what fails because the service stops')
})

/** A catalogue, of which only the reading of contents differs from that of the app. */
const catalogueOf = ({ data }: App, reads: object) => {
  const contents = { ...data.contents, ...reads }
  return new Catalogue({ data: { ...data, contents }, readContents: contents.byIds, cacheBytes: 1000 })
}

t.test('a catalogue that takes longer than a minute to read is served meanwhile and afterwards, unless the reads fail', async t => {
  const app = await buildWith(t, { contents: [content(1), content(2), content(3)] })
  let breaksOff = false
  /** Each document takes 40 s to arrive. */
  const slowly = async function* (since?: Date) {
    for await (const document of app.data.contents.forSkeleton(since)) {
      moveClock(t, 40_000)
      yield document
    }
    if (breaksOff) throw new Error('broken off')
  }
  const catalogue = catalogueOf(app, { forSkeleton: slowly })
  t.throws(() => catalogue.assertFresh(), 'nothing has been read yet')
  await catalogue.refresh()
  catalogue.assertFresh()
  moveClock(t, 61_000)
  t.throws(() => catalogue.assertFresh(), 'the database has not responded for a minute')

  moveClock(t, 10 * 60_000)
  breaksOff = true
  await t.rejects(catalogue.refresh(), /broken off/)
  catalogue.assertFresh()
  await t.rejects(catalogue.refresh(), /broken off/)
  t.throws(() => catalogue.assertFresh(), 'the documents of a second attempt do not count')
  breaksOff = false
  await catalogue.refresh()
  catalogue.assertFresh()
})

t.test('what changes behind a read is found by the next one', async t => {
  const app = await buildWith(t, { contents: [content(1), content(2)] })
  const documents = databaseOf(app).collection<ContentDocument>('contents')
  const write = (id: number, name: string, minute: number) =>
    documents.updateOne({ _id: id }, { $set: { name, stamp: new Date(began + minute * 60_000) } })
  const began = Date.now()
  let duringRead = async () => {}
  const catalogue = catalogueOf(app, {
    forSkeleton: async function* (since?: Date) {
      for await (const document of app.data.contents.forSkeleton(since)) {
        if (document._id === 2) await duringRead()
        yield document._id === 2 ? ((await documents.findOne({ _id: 2 })) as ContentDocument) : document
      }
    }
  })
  const nameIn = (id: number) => catalogue.skeleton.name[catalogue.skeleton.row(id) as number]
  const readChanges = async () => {
    await app.data.revisions.raise('contents')
    await catalogue.refresh()
  }
  // A full read, then one of changes, each of three minutes.
  for (const [n, minute] of [10, 20].entries()) {
    duringRead = async () => {
      await write(1, `late ${n}`, minute + 1)
      await write(2, `last ${n}`, minute + 3)
    }
    await write(2, `first ${n}`, minute)
    await readChanges()
    t.equal(nameIn(2), `last ${n}`)
    t.not(nameIn(1), `late ${n}`)
    duringRead = async () => {}
    await readChanges()
    t.equal(nameIn(1), `late ${n}`)
  }
})

t.test('everything is read after a restore, even if the first attempt fails and imports have raised the revisions again', async t => {
  const app = await buildWith(t, { contents: [content(1), content(2)] })
  let fails = false
  const catalogue = catalogueOf(app, {
    forSkeleton: (since?: Date) => {
      if (fails) throw new Error('cannot be read')
      return app.data.contents.forSkeleton(since)
    }
  })
  await catalogue.refresh()
  await databaseOf(app).collection<ContentDocument>('contents').deleteOne({ _id: 2 })
  await databaseOf(app).collection('revisions').deleteMany({})
  fails = true
  await t.rejects(catalogue.refresh(), /cannot be read/)
  fails = false
  for (let i = 0; i < 3; i++) await app.data.revisions.raise('contents')
  await catalogue.refresh()
  t.equal(catalogue.skeleton.row(2), undefined)
})

t.test('a catalogue is read even if the scan for contents that cannot be served fails', async t => {
  const app = await buildWith(t, { contents: [content(1), content(2, { plans: null as never })] })
  const catalogue = catalogueOf(app, { unservable: async () => Promise.reject(new Error('takes too long')) })
  await catalogue.refresh()
  catalogue.assertFresh()
  t.equal(catalogue.skeleton.size, 1)
})
