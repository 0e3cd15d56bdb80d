import type { Document } from 'mongodb'
import t from 'tap'
import { type App, build, buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, term } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { idsFor, span, taught, views } from '../recommendations/helper.js'
import { assertDone, wantToken } from './helper.js'

const minute = 60_000
const day = 24 * 60 * minute

/** Moves everything that the viewer has seen into the past. */
const pass = (app: App, { id }: Viewer, milliseconds: number) =>
  databaseOf(app)
    .collection('seen')
    .updateOne({ user_id: id }, [
      {
        $set: {
          titles: {
            $map: {
              input: '$titles',
              in: {
                content_id: '$$this.content_id',
                at: { $map: { input: '$$this.at', as: 'at', in: { $subtract: ['$$at', milliseconds] } } }
              }
            }
          }
        }
      }
    ])

const see = async (viewer: Viewer, ...content_ids: number[]) => {
  const answer = await viewer.post('/recommendations/seen', { content_ids })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer
}

/** Sees contents on some occasions, the latest of them `apart` ago. */
const seeOften = async (app: App, viewer: Viewer, content_ids: number[], { times = 5, apart = 30 * minute } = {}) => {
  for (let time = 0; time < times; time++) {
    await see(viewer, ...content_ids)
    await pass(app, viewer, apart)
  }
}

const storedOf = async (app: App, { id }: Viewer): Promise<Document[]> =>
  (await databaseOf(app).collection('seen').findOne({ user_id: id }))?.titles ?? []

const occasionsOf = async (app: App, viewer: Viewer) => (await storedOf(app, viewer)).map(({ content_id, at }) => [content_id, at.length])

const contents = [
  ...span(1, 6).map(id => film(id, { weight: 10 - id, terms: [1] })),
  content(7, { type: 'show', weight: 3, terms: [1] }),
  episode(8, 7),
  film(9, { weight: 1, min_age: 16, terms: [1] })
]
const all = [1, 2, 3, 4, 5, 6, 7, 9]

t.test('a title that was seen often and not begun', async t => {
  const app = await buildWith(t, { contents, terms: [term(1)] })

  t.test('comes after all others, from the fifth occasion on', async t => {
    const viewer = await viewerOf(app)
    t.strictSame(await idsFor(viewer), all)
    assertDone(t, await see(viewer, 1, 3), 200)
    await pass(app, viewer, 30 * minute)
    await seeOften(app, viewer, [1, 3], { times: 3 })
    t.strictSame(await idsFor(viewer), all, 'four are too few')
    await see(viewer, 3, 1, 1)
    t.strictSame(await idsFor(viewer), [2, 4, 5, 6, 7, 9, 1, 3], 'in their own order')
    t.strictSame(await idsFor(viewer, '?perPage=6'), [2, 4, 5, 6, 7, 9], 'only if there is room')
    t.strictSame(await idsFor(viewer, '?perPage=7'), [2, 4, 5, 6, 7, 9, 1])
    t.strictSame(await idsFor(await viewerOf(app)), all, 'for this viewer alone')
  })

  t.test('has been seen once, however often it is reported within half an hour', async t => {
    const viewer = await viewerOf(app)
    for (let time = 0; time < 3; time++) await see(viewer, 2)
    await pass(app, viewer, 29 * minute)
    await see(viewer, 2)
    t.strictSame(await occasionsOf(app, viewer), [[2, 1]])
    await pass(app, viewer, minute)
    await see(viewer, 2)
    t.strictSame(await occasionsOf(app, viewer), [[2, 2]])
    await seeOften(app, viewer, [2], { times: 9 })
    t.strictSame(await occasionsOf(app, viewer), [[2, 5]], 'older occasions do not matter')
  })

  t.test('is back after 14 days, and needs all occasions in 30', async t => {
    const viewer = await viewerOf(app)
    await seeOften(app, viewer, [1], { apart: 5.9 * day })
    t.equal((await idsFor(viewer)).at(-1), 1, 'within 30 days')
    await pass(app, viewer, 0.6 * day)
    t.strictSame(await idsFor(viewer), all, 'more than 30 days ago')
    const other = await viewerOf(app)
    await seeOften(app, other, [1])
    await pass(app, other, 14 * day - 31 * minute)
    t.equal((await idsFor(other)).at(-1), 1)
    await pass(app, other, 2 * minute)
    t.strictSame(await idsFor(other), all)
    await see(other, 1)
    t.equal((await idsFor(other)).at(-1), 1, 'another occasion starts it anew')
  })

  t.test('is not behind if it was begun since, or is liked', async t => {
    const viewer = await viewerOf(app)
    await seeOften(app, viewer, [1, 2, 7])
    t.strictSame((await idsFor(viewer)).slice(-3), [1, 2, 7])
    await viewer.post('/history', { content_id: 8, time: 0 })
    await viewer.put('/ratings/1', { rating: 'like' })
    t.equal((await idsFor(viewer)).at(-1), 2)
    await viewer.remove('/ratings/1')
    t.strictSame((await idsFor(viewer)).slice(-2), [1, 2])
  })

  t.test('is also behind if it was begun before', async t => {
    const viewer = await viewerOf(app)
    await views(app, [{ user_id: viewer.id, content_id: 1, time: 0, percentage: 0, updated_at: new Date(Date.now() - day) }])
    await seeOften(app, viewer, [1])
    t.equal((await idsFor(viewer)).at(-1), 1)
  })

  t.test('is behind in the rows of the start page, too', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 6, { time: 3000, percentage: 95 })
    await taught(app)
    const rowsOf = async (items: number) => {
      const { rows } = (await viewer.get(`/home?items=${items}`)).json().data
      return (kind: string): number[] =>
        rows.find((row: Document) => row.kind === kind)?.items.map((item: Document) => item.content.id) ?? []
    }
    const before = await rowsOf(3)
    t.strictSame(
      [before('recommended'), before('because')],
      [
        [1, 2, 3],
        [4, 5, 7]
      ]
    )
    await seeOften(app, viewer, [1, 4])
    const after = await rowsOf(3)
    t.strictSame(
      [after('recommended'), after('because')],
      [
        [2, 3, 5],
        [7, 9, 1]
      ]
    )
    t.strictSame((await rowsOf(10))('recommended'), [2, 3, 5, 7, 9, 1, 4])
  })
})

t.test('POST /recommendations/seen', async t => {
  const url = '/recommendations/seen'
  const replaced = [film(30), film(31, { replaces: [30] }), film(20), film(21)]
  const app = await buildWith(t, { contents: [...contents, ...replaced] })

  t.test('counts titles, and ignores what is unknown', async t => {
    const viewer = await viewerOf(app)
    assertDone(t, await see(viewer, 404, 2 ** 53 - 1), 200)
    t.strictSame(await storedOf(app, viewer), [])
    await see(viewer, 404, 8, 7, 1)
    t.strictSame(
      await occasionsOf(app, viewer),
      [
        [7, 1],
        [1, 1]
      ],
      'an episode counts for its show'
    )
  })

  t.test('leads from earlier ids, and joins what was seen under them', async t => {
    const viewer = await viewerOf(app)
    await see(viewer, 30, 31)
    t.strictSame(await occasionsOf(app, viewer), [[31, 1]])
    await seeOften(app, viewer, [20, 21], { times: 3 })
    await change(app, 'contents', 21, { replaces: [20] })
    await app.catalogue.refresh()
    await see(viewer, 20)
    t.strictSame(await occasionsOf(app, viewer), [
      [31, 1],
      [21, 5]
    ])
    t.equal((await idsFor(viewer)).at(-1), 21)
    await change(app, 'contents', 21, { replaces: null })
    await app.catalogue.refresh()
    await see(viewer, 20)
    t.strictSame(await occasionsOf(app, viewer), [
      [31, 1],
      [21, 5],
      [20, 1]
    ])
  })

  t.test('fades the new title by what was seen under its earlier id alone', async t => {
    const viewer = await viewerOf(app)
    await seeOften(app, viewer, [20])
    await seeOften(app, viewer, [21])
    await change(app, 'contents', 21, { replaces: [20] })
    await app.catalogue.refresh()
    t.equal((await idsFor(viewer)).at(-1), 21)
  })

  t.test('keeps the 500 titles that were seen last', async t => {
    const many = span(1001, 1520)
    const app = await buildWith(t, { contents: many.map(id => film(id)) })
    const viewer = await viewerOf(app)
    for (let at = 0; at < 520; at += 100) {
      await see(viewer, ...many.slice(at, at + 100))
      await pass(app, viewer, 30 * minute)
      if (at === 0) await see(viewer, 1001)
    }
    const stored = await occasionsOf(app, viewer)
    t.equal(stored.length, 500)
    t.strictSame(
      [stored[0], stored.at(-1)],
      [
        [1022, 1],
        [1520, 1]
      ]
    )
    t.strictSame(
      stored.filter(([id = 0]) => id < 1022),
      [[1001, 2]]
    )
    await see(viewer, 1022)
    t.strictSame((await occasionsOf(app, viewer)).at(-1), [1022, 2], 'it was seen last')
  })

  t.test('obeys the age limit of a profile', async t => {
    const viewer = await viewerOf(app)
    const headers = { 'viewer-profile': '' }
    const child = (await app.data.profiles.add(viewer.id, { name: 'Mia', max_age: 12 })) as number
    const { access_token } = (await viewer.post(`/profiles/${child}/token`, {}, headers)).json().data
    const answer = await viewer.post(url, { content_ids: [1, 9] }, { authorization: `Bearer ${access_token}` })
    t.equal(answer.statusCode, 200)
    t.strictSame(await databaseOf(app).collection('seen').countDocuments({ user_id: child }), 0, 'ages that are unknown are above it')
    t.equal((await viewer.remove(`/profiles/${child}`)).statusCode, 200)
  })

  t.test('is exported, and goes with the user and the profile', async t => {
    const viewer = await viewerOf(app)
    const child = (await app.data.profiles.add(viewer.id, { name: 'Mia' })) as number
    await seeOften(app, viewer, [1], { times: 2 })
    await app.data.seen.add(child, [[2]])
    const exported = async () => (await viewer.get('/me/export')).json().data.seen
    t.match(await exported(), [
      { user_id: viewer.id, content_id: 1, seen_at: [/^\d{4}-.*000Z$/, /^\d{4}-/] },
      { user_id: child, content_id: 2, seen_at: [String] }
    ])
    const left = (user_id: number) => databaseOf(app).collection('seen').countDocuments({ user_id })
    t.equal((await viewer.remove(`/profiles/${child}`)).statusCode, 200)
    t.equal(await left(child), 0)
    await app.data.personal.removeAll(viewer.id)
    t.equal(await left(viewer.id), 0)
    t.strictSame(await exported(), [])
  })

  t.test('refuses other bodies and callers', async t => {
    const viewer = await viewerOf(app)
    const bodies = [{}, { content_ids: [] }, { content_ids: 1 }, { content_ids: ['1'] }, { content_ids: [0] }, { content_ids: [1.5] }]
    for (const body of [...bodies, { content_ids: span(1, 101) }, []])
      t.equal((await viewer.post(url, body)).statusCode, 400, JSON.stringify(body))
    assertDone(t, await viewer.post(url, { content_ids: span(1, 100) }), 200)
    await wantToken(t, await build(t), 'x', [['POST', url, '{"content_ids":[1]}']])
  })
})
