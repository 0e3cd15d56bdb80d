import t from 'tap'
import { countPopularity } from '../../src/recommendations/learning/popularity.js'
import { collectionOf } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content, episode, film, person, rail, railCollection } from '../helpers/documents.js'
import { views } from '../recommendations/helper.js'

const settings = { COUNTRY_HEADER: 'x-country', BASE_PATH: '' }
const contents = [
  film(1, { name: 'Harbour one', weight: 1, terms: [1] }),
  film(2, { name: 'Harbour two', weight: 2, year: 2020 }),
  film(3, { name: 'Habrour three', weight: 3, terms: [1], credits: [{ person_id: 9, role: 'actor', character: null }] }),
  film(4, { name: 'Quay four', weight: 9 }),
  content(5, { name: 'A show', weight: 4 }),
  episode(6, 5, { name: 'An episode', weight: 8 }),
  film(7, { name: 'Closed', end_date: new Date('2024-01-01') }),
  film(8, { name: 'Not in the US', countries_exclude: ['US'], weight: 7 })
]
const rail_collections = [
  railCollection(1, { type: 'film' }, { rails: [rail(2, { type: 'film', order_by: 'popularity' }, { name: 'Most watched' })] })
]

/** The ids of contents in the order of their recent views, and 4 views of a content that nobody may see. */
const seen = [1, 1, 1, 6, 6, 3, 7, 7, 7, 7, 8, 8, 8, 8, 8]

const count = async (app: App, ids: number[], country = 'SE', first = 1) => {
  await views(
    app,
    ids.map((content_id, i) => ({ user_id: first + i, content_id, country }))
  )
  await countPopularity(app.data)
  app.recommender.popular.put(await app.data.popularity.all())
}

const listOf = async (app: App, query = '', country = 'US') => {
  const answer = await app.inject({ url: `/contents?order_by=popularity${query}`, headers: { 'x-country': country } })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return {
    ids: collectionOf(answer).map(({ id }: { id: number }) => id),
    etag: String(answer.headers.etag),
    total: answer.json().data.meta.total_count
  }
}

t.test('the order by popularity', async t => {
  const app = await buildWith(t, { contents, rail_collections, people: [person(9, 'Nine')] }, { settings })
  const before = await listOf(app)
  t.strictSame(before.ids, [4, 6, 5, 3, 2, 1], 'the default order, as long as nobody has watched anything')
  await count(app, seen)

  t.test('has the titles with views first, then everything else in the default order', async t => {
    const { ids, etag, total } = await listOf(app)
    t.strictSame(ids, [1, 5, 3, 4, 6, 2], 'an episode counts for its show')
    t.equal(total, 6)
    t.not(etag, before.etag)
    t.strictSame((await listOf(app, '&order_direction=ASC')).ids, [2, 6, 4, 3, 5, 1])
    t.strictSame((await listOf(app, '&order_direction=desc')).ids, ids)
    const pages = await Promise.all([1, 2, 3].map(page => listOf(app, `&perPage=2&page=${page}`)))
    t.strictSame(
      pages.flatMap(page => page.ids),
      ids
    )
    const popular = (await app.inject({ url: '/home', headers: { 'x-country': 'US' } })).json().data.rows[0]
    t.strictSame([popular.kind, popular.items.map(({ content }: { content: { id: number } }) => content.id)], ['popular', [1, 5, 3, 4, 2]])
  })

  t.test('takes every filter', async t => {
    const cases: [query: string, ids: number[]][] = [
      ['&type=film', [1, 3, 4, 2]],
      ['&terms=1', [1, 3]],
      ['&year=2020', [2]],
      ['&people=9', [3]],
      ['&ids=4,3,6', [3, 4, 6]],
      ['&ids=4,3,6&order_direction=asc', [6, 4, 3]],
      ['&title=6', [5, 6]],
      ['&search=harbour', [1, 2, 3]],
      ['&search=harbour&order_direction=ASC', [2, 1, 3]]
    ]
    for (const [query, ids] of cases) t.strictSame((await listOf(app, query)).ids, ids, query)
  })

  t.test('goes by the country of the caller', async t => {
    t.strictSame((await listOf(app, '', 'SE')).ids, [8, 1, 5, 3, 4, 6, 2])
    await count(app, [2], 'DE', 100)
    t.strictSame((await listOf(app, '', 'DE')).ids, [2, 8, 1, 5, 3, 4, 6])
    t.strictSame((await listOf(app, '', 'US')).ids, [1, 5, 2, 3, 4, 6])
  })

  t.test('changes its tag with the counts', async t => {
    const { etag } = await listOf(app, '&perPage=1')
    const asked = (tag: string) =>
      app.inject({ url: '/contents?order_by=popularity&perPage=1', headers: { 'x-country': 'US', 'if-none-match': tag } })
    t.equal((await asked(etag)).statusCode, 304)
    await count(app, [4, 4, 4, 4, 4, 4], 'US', 200)
    const answer = await asked(etag)
    t.strictSame([answer.statusCode, collectionOf(answer).map(({ id }: { id: number }) => id)], [200, [4]])
  })

  t.test('serves rails, each country its own', async t => {
    const railFor = async (country: string) => {
      const { rows } = (await app.inject({ url: '/home', headers: { 'x-country': country } })).json().data
      const { more, items } = rows.find(({ kind }: { kind: string }) => kind === 'rail')
      return { more, ids: items.map(({ content }: { content: { id: number } }) => content.id) }
    }
    t.strictSame(await railFor('US'), { more: '/contents?type=film&order_by=popularity', ids: [4, 1, 2, 3] })
    t.strictSame((await railFor('DE')).ids.slice(0, 2), [2, 4])
    await count(app, [3, 3, 3, 3, 3, 3, 3], 'US', 300)
    t.equal((await railFor('US')).ids[0], 3)
  })

  t.test('follows the catalogue', async t => {
    await change(app, 'contents', 3, { deleted_at: new Date() })
    await app.catalogue.refresh()
    t.notOk((await listOf(app)).ids.includes(3))
  })
})
