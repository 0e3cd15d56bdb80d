import { ObjectId } from 'mongodb'
import t from 'tap'
import { unauthenticated } from '../helpers/answers.js'
import { buildWith, signIn } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, rail, railCollection } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { span, views } from '../recommendations/helper.js'
import { badQueries } from './helper.js'

const settings = { COUNTRY_HEADER: 'x-country', BASE_PATH: '' }
const films = span(1, 40).map(id => film(id, { name: `Harbour ${id}`, weight: -id }))
const show = [
  content(100, { name: 'The Show' }),
  content(110, { type: 'season', parent_id: 100, position: 1 }),
  episode(111, 110, { position: 1 }),
  episode(112, 110, { position: 2 }),
  content(120, { type: 'season', parent_id: 100, position: 2 }),
  episode(121, 120),
  episode(122, 120, { countries_include: ['SE'] }),
  episode(123, 120, { start_date: new Date('2090-01-01') }),
  episode(124, 120, { deleted_at: new Date() }),
  content(130, { name: 'A show without episodes' }),
  film(131, { type: 'trailer', parent_id: 130 }),
  content(140, { name: 'A show for adults' }),
  episode(141, 140),
  episode(142, 140, { min_age: 16 })
]

const listOf = async (viewer: Pick<Viewer, 'get'>, query: string, headers: Record<string, string> = {}) => {
  const answer = await viewer.get(`/contents?${query}`, undefined, headers)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  const { collection, meta } = answer.json().data
  return { ids: collection.map(({ id }: { id: number }) => id), total: meta.total_count, next: meta.next_page }
}
const watchedBy = async (viewer: Pick<Viewer, 'get'>, query = 'perPage=100', headers: Record<string, string> = {}) =>
  (await listOf(viewer, `watched=true&${query}`, headers)).ids.sort((a: number, b: number) => a - b)
const complete = (viewer: Viewer, ...ids: number[]) => Promise.all(ids.map(id => watch(viewer, id, { percentage: 100 })))

t.test('contents', async t => {
  const app = await buildWith(t, { contents: [...films, ...show] }, { settings })

  t.test('are watched with one play', async t => {
    const viewer = await viewerOf(app)
    t.strictSame(await watchedBy(viewer), [])
    await watch(viewer, 1, { percentage: 50 })
    await watch(viewer, 2, { percentage: 100 })
    await watch(viewer, 2, { percentage: 1 })
    await viewer.post('/history/watched', { content_id: 3, watched: true })
    await complete(viewer, 4, 131)
    await viewer.post('/history/watched', { content_id: 4, watched: false })
    t.strictSame(await watchedBy(viewer), [2, 3, 131])
    const left = await listOf(viewer, 'watched=false&perPage=3&type=film')
    t.strictSame(left, { ids: [1, 4, 5], total: 38, next: 2 })
    t.strictSame((await listOf(viewer, 'watched=false&perPage=3&page=13&type=film')).ids, [39, 40])
  })

  t.test('a season or show with all of its open episodes', async t => {
    const viewer = await viewerOf(app)
    await complete(viewer, 111)
    t.strictSame(await watchedBy(viewer), [111])
    await complete(viewer, 112)
    t.strictSame(await watchedBy(viewer), [110, 111, 112])
    await complete(viewer, 121)
    t.strictSame(await watchedBy(viewer, 'perPage=100', { 'x-country': 'US' }), [100, 110, 111, 112, 120, 121])
    t.strictSame(await watchedBy(viewer, 'perPage=100', { 'x-country': 'SE' }), [110, 111, 112, 121], 'one more is open there')
    t.strictSame((await listOf(viewer, 'watched=false&type=show', { 'x-country': 'US' })).ids, [140, 130])
  })

  t.test('whatever the history says of the show itself', async t => {
    const viewer = await viewerOf(app)
    await complete(viewer, 100, 110, 130)
    t.strictSame(await watchedBy(viewer), [])
  })

  t.test('unless nothing of it is open, or it left the catalogue', async t => {
    const viewer = await viewerOf(app)
    const at = new Date()
    const elements = [123, 777].map(content_id => ({ _id: new ObjectId(), user_id: viewer.id, content_id, plays: 1, updated_at: at }))
    await views(app, elements)
    t.strictSame(await watchedBy(viewer), [])
    t.strictSame((await listOf(viewer, 'watched=false&type=show')).total, 3)
  })

  t.test('by the age limit of the viewer', async t => {
    const viewer = await viewerOf(app)
    await complete(viewer, 141)
    t.strictSame(await watchedBy(viewer), [141])
    for (const id of [140, 141]) await change(app, 'contents', id, { min_age: 6 })
    await app.catalogue.refresh()
    await databaseOf(app)
      .collection<{ _id: number }>('users')
      .updateOne({ _id: viewer.id }, { $set: { max_age: 6 } })
    const headers = await signIn(app, { _id: viewer.id })
    t.strictSame(await watchedBy({ get: url => app.inject({ url, headers }) }), [140, 141])
  })

  t.test('take every filter and order', async t => {
    const viewer = await viewerOf(app)
    await complete(viewer, 1, 5, 111)
    t.strictSame((await listOf(viewer, 'watched=true&type=film&order_by=weight&order_direction=ASC')).ids, [5, 1])
    t.strictSame((await listOf(viewer, 'watched=true&ids=5,6')).ids, [5])
    t.strictSame((await listOf(viewer, 'watched=false&title=112&order_by=position', { 'x-country': 'US' })).ids, [100, 110, 112, 120, 121])
    t.strictSame((await listOf(viewer, 'watched=false&order_by=popularity&type=film&perPage=3')).ids, [2, 3, 4])
    t.strictSame((await listOf(viewer, 'watched=false&search=harbour&perPage=4')).ids, [2, 3, 4, 6])
  })

  t.test('allow typos if few are left', async t => {
    const viewer = await viewerOf(app)
    await change(app, 'contents', 40, { name: 'Habrour 40', words: { names: ['habrour', '40'], keywords: [], description: [] } })
    await app.catalogue.refresh()
    await app.catalogue.search.catchUp(app.catalogue.skeleton)
    const found = async (watched: boolean) => (await listOf(viewer, `search=harbour&watched=${watched}&perPage=100`)).total
    t.equal(await found(false), 39)
    await complete(viewer, ...span(1, 30))
    t.strictSame([await found(true), await found(false)], [30, 10], 'nine are left, and one with a typo')
  })

  t.test('are for one viewer', async t => {
    const viewer = await viewerOf(app)
    const answer = await viewer.get('/contents?watched=false')
    t.equal(answer.headers['cache-control'], 'private, no-store')
    t.equal(answer.headers.etag, undefined)
    for (const url of ['/contents?watched=false', '/contents?watched=true', '/home?watched=false'])
      for (const headers of [{}, { authorization: 'Bearer x' }]) t.strictSame((await app.inject({ url, headers })).body, unauthenticated)
    for (const url of ['/contents?watched=', '/contents?watched=1', '/contents?watched=TRUE', '/contents?watched=true&watched=true'])
      t.equal((await viewer.get(url)).statusCode, 400, url)
    for (const url of ['/home?watched=true', '/home?watched=', '/home?watched=0']) {
      const refused = await viewer.get(url)
      t.match(refused.json(), { code: 400, errors: [{ field: 'watched', message: 'must be false' }] }, url)
    }
    for (const [query, field] of badQueries)
      t.equal((await viewer.get(`/contents?watched=true&${query}`)).statusCode, field ? 400 : 200, query)
  })
})

interface Row {
  kind: string
  name: string | null
  more: string | null
  items: { content: { id: number } }[]
}

t.test('a start page', async t => {
  const rails = [
    rail(1, { type: 'film' }, { name: 'Films' }),
    rail(2, { type: 'film', ids: '1,2,3' }, { name: 'Three' }),
    rail(3, { type: 'film', search: 'harbour' }, { name: 'Found' }),
    rail(4, { type: 'film', ids: '38,39' }, { name: 'Others' })
  ]
  const rail_collections = [railCollection(1, { type: 'film' }, { rails })]
  const app = await buildWith(t, { contents: films, rail_collections }, { settings })
  const rowsFor = async ({ get }: Viewer, query: string) => {
    const { rows } = (await get(`/home?${query}`)).json().data
    return rows.map(({ kind, name, more, items }: Row) => [name ?? kind, more, items.map(({ content }) => content.id)])
  }
  const viewer = await viewerOf(app)
  await complete(viewer, ...span(1, 36))
  await watch(viewer, 37, { percentage: 50 })

  t.test('fills its rows without what was watched', async t => {
    t.strictSame((await rowsFor(viewer, 'items=3&watched=false')).slice(1), [
      ['recommended', '/recommendations', [38, 39, 40]],
      ['popular', null, [37]],
      ['Films', '/contents?type=film&watched=false', [37, 38, 39]],
      ['Found', '/contents?type=film&search=harbour&watched=false', [37, 38, 39]],
      ['Others', '/contents?type=film&ids=38%2C39&watched=false', [38, 39]]
    ])
    t.strictSame((await rowsFor(viewer, 'items=3')).slice(-4), [
      ['Films', '/contents?type=film', [1, 2, 3]],
      ['Three', '/contents?type=film&ids=1%2C2%2C3', [1, 2, 3]],
      ['Found', '/contents?type=film&search=harbour', [1, 2, 3]],
      ['Others', '/contents?type=film&ids=38%2C39', [38, 39]]
    ])
  })

  t.test('has new titles that were not watched', async t => {
    const other = await viewerOf(app)
    await complete(other, 40)
    const kinds = (await rowsFor(other, 'items=1&rails=0&watched=false')).map(([kind, more]: [string, string]) => [kind, more])
    t.strictSame(kinds.at(-1), ['new', '/contents?order_by=start_date&watched=false'])
    const shown = (await rowsFor(other, 'items=30&rails=0&watched=false')).slice(1).flatMap(([, , ids]: [string, string, number[]]) => ids)
    t.notOk(shown.includes(40))
  })

  t.test('follows the history', async t => {
    await complete(viewer, 38)
    t.strictSame((await rowsFor(viewer, 'items=3&watched=false')).at(-1).at(-1), [39])
    await complete(viewer, 39)
    t.notOk(
      (await rowsFor(viewer, 'items=3&watched=false')).some(([name]: [string]) => name === 'Others'),
      'an empty row goes'
    )
    t.strictSame(await rowsFor(await viewerOf(app), 'items=3&watched=false&rails=1').then(rows => rows.at(-1)), [
      'Films',
      '/contents?type=film&watched=false',
      [1, 2, 3]
    ])
  })
})
