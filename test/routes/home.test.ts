import t, { type Test } from 'tap'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { moveClock } from '../catalogue/helper.js'
import { type Answer, assertRefused, collectionOf, unauthenticated } from '../helpers/answers.js'
import { addUser, buildWith, signIn } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, rail, railCollection } from '../helpers/documents.js'
import { tick, until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { anybody, crowdOf, daysAgo, firstOfCrowd, recommendedTo, span, taught, views } from '../recommendations/helper.js'
import { badQueries, notInUs, swedish, wire } from './helper.js'

interface Item {
  content: { id: number; parent_id: number | null }
  reason?: { type: string; content_id?: number }
}
interface Row {
  kind: string
  name: string | null
  because: { content_id: number; name: string } | null
  more: string | null
  items: Item[]
}

const homeOf = (answer: Answer): { rows: Row[]; missing: string[] } => {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json().data
}
const homeFor = async ({ get }: Pick<Viewer, 'get'>, query = '', headers: Record<string, string> = {}) =>
  homeOf(await get(`/home${query}`, undefined, headers))
const idsOf = ({ items }: Pick<Row, 'items'>) => items.map(({ content }) => content.id)
const kindsOf = ({ rows }: { rows: Row[] }) => rows.map(({ kind }) => kind)
const rowOf = ({ rows }: { rows: Row[] }, kind: string) => rows.find(row => row.kind === kind)
const idsIn = (home: { rows: Row[] }, kind: string) => idsOf(rowOf(home, kind) ?? { items: [] })
/** The ids in the rows of rails, by their names. */
const railsOf = ({ rows }: { rows: Row[] }) => rows.flatMap(row => (row.kind === 'rail' ? [[row.name, ...idsOf(row)]] : []))

const completed = { time: 3000, percentage: 95 }

// Viewers of one of the films 1 to 20 watch the others, and so do those of the films 31 to 50.
const shows = [
  content(100, { name: 'The Show' }),
  content(110, { type: 'season', parent_id: 100, position: 1 }),
  episode(111, 110, { position: 1 }),
  episode(112, 110, { position: 2 })
]
const contents: ContentDocument[] = [
  ...[...span(1, 20), ...span(31, 50)].map(id => film(id)),
  ...shows,
  ...span(201, 260).map(id => film(id, { start_date: daysAgo(900 - id) })),
  film(301, { type: 'clip', name: 'Harbour at dawn', start_date: daysAgo(1), weight: 2 }),
  film(302, { type: 'clip', name: 'Harbour at night', start_date: daysAgo(2), weight: 1 }),
  film(303, { type: 'clip', deleted_at: new Date('2024-01-01') }),
  episode(304, 100, { start_date: daysAgo(1) }),
  swedish,
  notInUs
]
const rail_collections = [
  railCollection(
    1,
    { type: 'film' },
    {
      mname: 'start',
      rails: [
        rail(2, { type: 'none' }),
        rail(3, { type: 'clip', order_by: 'start_date', order_direction: 'asc', perPage: '1', page: '7' }, { name: 'Clips & more' }),
        rail(4, { type: 'film', search: 'harbour' }),
        rail(5, { type: 'clip', search: 'harb dawn' }),
        rail(6, { type: 'clip', order_by: 'nothing' }),
        rail(7, { type: 'clip', ids: [...span(1001, 1200), 302].join() }),
        rail(8, { type: 'clip', ids: [302, ...span(1001, 1200)].join() })
      ]
    }
  ),
  railCollection(9, { type: 'film' }, { mname: 'second', rails: [rail(2, { type: 'clip' }, { name: 'Again' })] }),
  railCollection(10, { type: 'film' }, { mname: 'second', rails: [rail(11, { type: 'show' })] })
]

const settings = { COUNTRY_HEADER: 'x-country', BASE_PATH: '' }

const trained = async (t: Test) => {
  const app = await buildWith(t, { contents, rail_collections }, { settings })
  await views(app, [...crowdOf(span(1, 20), 1, firstOfCrowd), ...crowdOf(span(31, 50), 1, firstOfCrowd + 1000)])
  await taught(app)
  await until(() => app.catalogue.search.version > 0)
  return app
}

t.test('GET /home', async t => {
  const app = await trained(t)
  const nobody = anybody(app)
  const found = (id: number) => contents.find(({ _id }) => _id === id) as ContentDocument
  const popular = (await recommendedTo(nobody)).map(({ id }) => id)

  t.test('without a token: what is popular, what is new, and rails', async t => {
    const home = await homeFor(nobody, '?items=3')
    const row = (kind: string, ids: number[], more: string | null, name: string | null = null) => ({
      kind,
      name,
      because: null,
      more,
      items: ids.map(id => ({ content: wire(found(id)) }))
    })
    t.strictSame(home, {
      rows: [
        row('popular', popular.slice(0, 3), null),
        row('new', [301, 302, 260], '/contents?order_by=start_date'),
        row('rail', [302, 301], '/contents?type=clip&order_by=start_date&order_direction=asc&perPage=1&page=7', 'Clips & more'),
        row('rail', [301], '/contents?type=clip&search=harb+dawn', 'Rail 5'),
        row('rail', [302], `/contents?type=clip&ids=${[302, ...span(1001, 1099)].join('%2C')}`, 'Rail 8'),
        row('rail', [301, 302], '/contents?type=clip', 'Again'),
        row('rail', [100], '/contents?type=show', 'Rail 11')
      ],
      missing: []
    })
    t.strictSame(idsIn(await homeFor(nobody), 'popular'), popular.slice(0, 10))
    for (const { more } of home.rows) if (more) t.equal((await app.inject(more)).statusCode, 200, more)
  })

  t.test('has as many rails as are asked for, of the collection that is asked for', async t => {
    t.strictSame(railsOf(await homeFor(nobody, '?rails=0')), [])
    t.strictSame(railsOf(await homeFor(nobody, '?rails=2&items=1')), [
      ['Clips & more', 302],
      ['Rail 5', 301]
    ])
    t.strictSame(railsOf(await homeFor(nobody, '?collection=second')), [
      ['Again', 301, 302],
      ['Rail 11', 100]
    ])
    for (const none of ['nowhere', '', 'Second', '%00', '__proto__', '%F0%9F%8E%AC'])
      t.strictSame(railsOf(await homeFor(nobody, `?collection=${none}`)), [], none)
  })

  t.test('refuses what it cannot read', async t => {
    for (const [query] of badQueries.filter(([query]) => /^perPage=[^&]*$/.test(query))) {
      const [, value] = query.split('=')
      assertRefused(t, await app.inject(`/home?items=${value}`), 'items', query)
      if (value !== '0') assertRefused(t, await app.inject(`/home?rails=${value}`), 'rails', query)
    }
    for (const [query, field] of [
      ['items=31', 'items'],
      ['items=1&items=2', 'items'],
      ['rails=31', 'rails'],
      ['rails=x', 'rails'],
      ['collection=a&collection=b', 'collection'],
      [`collection=${'x'.repeat(201)}`, 'collection']
    ] as const)
      assertRefused(t, await app.inject(`/home?${query}`), field, query)
    t.strictSame(await homeFor(nobody, '?items=30&rails=30&perPage=x&page=0'), await homeFor(nobody, '?items=30&rails=30'))
    for (const method of ['POST', 'PUT', 'DELETE'] as const) t.equal((await app.inject({ method, url: '/home' })).statusCode, 405)
    t.equal((await app.inject('/home/')).statusCode, 404)
  })

  t.test('is public without a token, with an ETag, and private with one', async t => {
    const answer = await app.inject('/home')
    t.match(answer.headers, { 'cache-control': 'public, no-cache', etag: /^"[\w+/]{27}"$/ })
    t.strictSame(String(answer.headers.vary).split(', ').sort(), ['Authorization', 'x-country'])
    const known = await app.inject({ url: '/home', headers: { 'if-none-match': String(answer.headers.etag) } })
    t.strictSame([known.statusCode, known.body], [304, ''])
    t.not((await app.inject('/home?items=2')).headers.etag, answer.headers.etag)
    const viewer = await viewerOf(app)
    const own = await viewer.get('/home', undefined, { 'if-none-match': '*' })
    t.strictSame([own.statusCode, own.headers['cache-control'], own.headers.etag], [200, 'private, no-store', undefined])
    for (const authorization of ['', 'Bearer', 'Bearer x.y.z', 'Basic dTpw', `${viewer.headers.authorization}x`]) {
      const refused = await app.inject({ url: '/home', headers: { authorization } })
      t.strictSame([refused.statusCode, refused.body], [401, unauthenticated], authorization)
    }
  })

  t.test('shows what is open in the country of the caller', async t => {
    for (const who of [nobody, await viewerOf(app)]) {
      const ids = async (country: string) => {
        const { rows } = await homeFor(who, '?items=30', { 'x-country': country })
        return rows.filter(({ kind }) => kind === 'new' || kind === 'rail').flatMap(idsOf)
      }
      await change(app, 'rail_collections', 10, { rails: [rail(11, { type: 'film', ids: '23,24' })] })
      await until(async () => (await ids('SE')).includes(23), { within: 10_000 })
      for (const [country, swedish, others] of [
        ['SE', true, true],
        ['DE', false, true],
        ['US', false, false],
        ['', true, true]
      ] as const)
        t.strictSame([(await ids(country)).includes(23), (await ids(country)).includes(24)], [swedish, others], country)
    }
  })

  t.test('of a user: all rows in their order, each as its own list has it', async t => {
    const viewer = await viewerOf(app)
    for (const id of [31, 1, 111]) {
      await watch(viewer, id, completed)
      await tick()
    }
    await watch(viewer, 2, { time: 60, percentage: 10 })
    for (const id of [40, 100, 20]) {
      await viewer.post('/watchlist', { content_id: id })
      await tick()
    }
    const home = await homeFor(viewer)
    t.strictSame(kindsOf(home), [
      'continue_watching',
      'recommended',
      'because',
      'because',
      'watchlist',
      'popular',
      'new',
      ...span(1, 5).map(() => 'rail')
    ])
    t.strictSame(home.missing, [])

    const cards = collectionOf(await viewer.get('/continue-watching'))
    t.match(cards, [
      { reason: 'resume', content: { id: 2 } },
      { reason: 'next', content: { id: 112 }, history: null }
    ])
    t.strictSame(rowOf(home, 'continue_watching'), {
      kind: 'continue_watching',
      name: null,
      because: null,
      more: '/continue-watching',
      items: cards
    })
    const saved = collectionOf(await viewer.get('/watchlist'))
    t.strictSame(rowOf(home, 'watchlist'), { kind: 'watchlist', name: null, because: null, more: '/watchlist', items: saved })

    const recommended = await recommendedTo(viewer)
    const { items, ...row } = rowOf(home, 'recommended') as Row
    t.strictSame(row, { kind: 'recommended', name: null, because: null, more: '/recommendations' })
    for (const { content, ...beside } of items) {
      const { deleted_at, reason, recent, ...same } = recommended.find(({ id }) => id === content.id) ?? {}
      t.strictSame({ content, ...beside }, { content: same, recent, reason })
    }

    const [first, second] = home.rows.filter(({ kind }) => kind === 'because') as [Row, Row]
    for (const [row, id, name] of [
      [first, 2, 'Content 2'],
      [second, 1, 'Content 1']
    ] as const) {
      t.strictSame(
        { ...row, items: 0 },
        { kind: 'because', name: null, because: { content_id: id, name }, more: `/contents/${id}/similar`, items: 0 }
      )
      const similar = (await viewer.get(`/contents/${id}/similar?perPage=50`)).json().data
      const proposed = similar.map(({ recent, ...content }: { recent: boolean }) => ({ content, recent }))
      for (const item of row.items) t.ok(proposed.some((one: object) => JSON.stringify(one) === JSON.stringify(item)))
    }
    t.equal(first.items.length, 10)
    for (const { more } of home.rows) if (more) t.equal((await viewer.get(more)).statusCode, 200, more)

    const again = await viewer.get('/home')
    t.equal(again.body, (await viewer.get('/home')).body, 'the response is the same at every call')
    const small = await homeFor(viewer, '?items=1&rails=1')
    t.ok(small.rows.every(({ items }) => items.length === 1))
    t.strictSame(railsOf(small), [['Clips & more', 302]])
  })

  t.test('proposes no title twice, none that was begun, and no more than 4 of 10 for the same reason', async t => {
    for (const history of [[1], [1, 2, 3], [1, 31], [111], []]) {
      const viewer = await viewerOf(app)
      for (const id of history) await watch(viewer, id, completed)
      const home = await homeFor(viewer, '?items=30')
      const proposed = ['recommended', 'because', 'popular', 'new'].flatMap(kind =>
        home.rows.filter(row => row.kind === kind).flatMap(idsOf)
      )
      t.equal(new Set(proposed).size, proposed.length)
      for (const id of history) t.notOk(idsIn(home, 'recommended').includes(id))
      t.equal(idsIn(home, 'recommended').length, 30)
      const reasons = (rowOf(home, 'recommended') as Row).items.map(({ reason }) => reason?.content_id)
      for (let at = 0; at < reasons.length; at++)
        for (const id of history)
          t.ok(reasons.slice(at, at + 10).filter(reason => reason === id).length <= 4, `${history} from ${at}: ${reasons}`)
      if (history[0] === 1)
        t.ok(
          history.some(id => reasons.includes(id)),
          'some recommendations come from the model'
        )
      t.ok(home.rows.filter(({ kind }) => kind === 'because').length <= 2)
      for (const row of home.rows.filter(({ kind }) => kind === 'because')) for (const id of history) t.notOk(idsOf(row).includes(id))
    }
  })

  t.test('a hidden title is in none of the rows that propose something', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1, completed)
    await watch(viewer, 32, { percentage: 40 })
    await viewer.post('/watchlist', { content_id: 3 })
    const before = await homeFor(viewer)
    const [recommended, similar, famous, fresh] = ['recommended', 'because', 'popular', 'new'].map(kind => idsIn(before, kind)[0] as number)
    const gone = [recommended, similar, famous, fresh, 3, 32, 301, 100] as number[]
    for (const id of gone) await viewer.put(`/hidden/${id === 100 ? 112 : id}`)
    const after = await homeFor(viewer)
    for (const kind of ['continue_watching', 'recommended', 'because', 'popular', 'new'])
      for (const row of after.rows.filter(row => row.kind === kind)) {
        t.equal(idsOf(row).filter(id => gone.includes(id)).length, 0, kind)
        t.not(row.because?.content_id, 32, 'and is not the reason of a row')
      }
    t.strictSame(idsIn(after, 'watchlist'), [3], 'only the user’s own watchlist')
    t.ok(JSON.stringify(railsOf(after)).includes('301'), 'rails are the same for everybody')
    for (const id of gone) await viewer.remove(`/hidden/${id}`)
    t.strictSame(await homeFor(viewer), before)
  })

  t.test('users do not see the rows of others', async t => {
    const one = await viewerOf(app)
    const other = await viewerOf(app)
    await watch(one, 5, { percentage: 50 })
    await one.post('/watchlist', { content_id: 6 })
    await one.put('/hidden/7')
    const home = await homeFor(other)
    t.strictSame([rowOf(home, 'continue_watching'), rowOf(home, 'watchlist'), rowOf(home, 'because')], [undefined, undefined, undefined])
    t.strictSame([idsIn(await homeFor(one), 'continue_watching'), idsIn(await homeFor(one), 'watchlist')], [[5], [6]])
  })

  t.test('titles that are shown count as recommended', async t => {
    const shown = async () =>
      Number(/^recommendations_shown_total\{reason="watched"\} (\d+)$/m.exec((await app.inject('/metrics')).body)?.[1])
    const viewer = await viewerOf(app)
    await watch(viewer, 1, completed)
    const before = await shown()
    const reasons = (rowOf(await homeFor(viewer), 'recommended') as Row).items.map(({ reason }) => reason?.type)
    t.equal((await shown()) - before, reasons.filter(type => type === 'watched').length)
  })

  t.test('a disabled user is refused', async t => {
    const user = await addUser(app)
    const headers = await signIn(app, user)
    t.equal((await app.inject({ url: '/home', headers })).statusCode, 200)
    await app.data.users.disable(user._id)
    await until(async () => (await app.inject({ url: '/home', headers })).statusCode === 401, { within: 10_000 })
  })
})

t.test('a user who has watched everything, in a catalogue of three titles', async t => {
  const app = await buildWith(t, { contents: [film(1), film(2), content(3, { end_date: null }), episode(4, 3)] }, { settings })
  t.strictSame(
    (await homeFor(anybody(app))).rows.map(row => [row.kind, ...idsOf(row)]),
    [['popular', 3, 2, 1]],
    'popular titles are not repeated as new ones'
  )
  t.strictSame(
    (await homeFor(anybody(app), '?items=2')).rows.map(row => [row.kind, ...idsOf(row)]),
    [
      ['popular', 3, 2],
      ['new', 1]
    ]
  )
  const viewer = await viewerOf(app)
  for (const id of [1, 2]) await watch(viewer, id, completed)
  const home = async () => (await homeFor(viewer)).rows.map(row => [row.kind, ...idsOf(row)])
  t.strictSame(
    await home(),
    [
      ['recommended', 3],
      ['popular', 2, 1]
    ],
    'only the films are similar to each other'
  )
  await watch(viewer, 4, completed)
  t.strictSame(await home(), [['popular', 3, 2, 1]])

  await change(app, 'contents', 2, { end_date: new Date() })
  await until(async () => (await home())[0]?.length === 3, { within: 10_000 })
  t.strictSame(await home(), [['popular', 3, 1]], 'a title that is no longer open is not the reason of a row')
})

t.test('paths are below the BASE_PATH', async t => {
  const given = { ...settings, BASE_PATH: '/video' }
  const app = await buildWith(t, { contents, rail_collections }, { settings: given })
  const viewer = await viewerOf(app)
  await viewer.post('/video/history', { content_id: 1, percentage: 40 })
  await viewer.post('/video/watchlist', { content_id: 2 })
  const { rows } = homeOf(await viewer.get('/video/home'))
  t.equal(new Set(rows.map(({ kind }) => kind)).size, 7)
  for (const { more, kind } of rows.filter(({ kind }) => kind !== 'popular')) {
    t.match(more, /^\/video\//, kind)
    t.equal((await viewer.get(String(more))).statusCode, 200)
  }
})

t.test('broken contents take nothing else away', async t => {
  const app = await buildWith(t, {
    contents: span(1, 30).map(id => film(id)),
    rail_collections: [railCollection(1, {}, { rails: [rail(2, { type: 'film' })] })]
  })
  const viewer = await viewerOf(app)
  const db = databaseOf(app)
  for (const id of [1, 2, 3]) await watch(viewer, id, { percentage: 30 })
  for (const id of [4, 5, 6]) await viewer.post('/watchlist', { content_id: id })
  await db.collection<{ _id: number }>('contents').updateMany({ _id: { $in: [1, 4, 30, 29] } }, { $set: { name: 5, stamp: new Date() } })
  await app.data.revisions.raise('contents')
  await until(async () => !idsIn(await homeFor(anybody(app)), 'popular').includes(30), { within: 10_000 })
  const home = await homeFor(viewer)
  t.strictSame(idsIn(home, 'continue_watching'), [3, 2])
  t.strictSame(idsIn(home, 'watchlist'), [6, 5])
  for (const { kind, items } of home.rows)
    t.ok(items.length > 0 && items.every(({ content }) => ![1, 4, 29, 30].includes(content.id)), kind)
  t.equal((await viewer.get('/home')).body, (await viewer.get('/home')).body)
})

t.test('what opens and ends is in the rows from that moment on', async t => {
  const app = await buildWith(t, {
    contents: [film(1), film(2, { start_date: new Date(Date.now() + 40_000) }), film(3, { end_date: new Date(Date.now() + 50_000) })],
    rail_collections: [railCollection(1, {}, { rails: [rail(2, { type: 'film' })] })]
  })
  const viewer = await viewerOf(app)
  const assertShown = async (ids: number[]) => {
    for (const who of [anybody(app), viewer])
      t.strictSame(
        railsOf(await homeFor(who))[0]
          ?.slice(1)
          .sort(),
        ids
      )
  }
  await assertShown([1, 3])
  moveClock(t, 45_000)
  await assertShown([1, 2, 3])
  moveClock(t, 10_000)
  await assertShown([1, 2])
})
