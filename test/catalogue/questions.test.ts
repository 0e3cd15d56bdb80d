import type { CommandStartedEvent } from 'mongodb'
import t from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { RailContents } from '../../src/catalogue/rails.js'
import { idsOf } from '../helpers/answers.js'
import { type App, build, buildWith } from '../helpers/app.js'
import { change, databaseOf, seededUrl } from '../helpers/database.js'
import { content, rail, railCollection } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { seed } from './helper.js'

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
