import t from 'tap'
import type { Client } from '../../client/index.js'
import { until } from '../helpers/until.js'
import { clientOf, createStore, gateTo, kept, newViewer, serve, signedIn } from './helper.js'

/** One service for all tests that do not stop it. */
const { app, baseUrl } = await serve(t)

const ratingsOf = async (client: Client) =>
  Object.fromEntries((await client.ratings()).collection.map(({ content_id, rating }) => [content_id, rating]))
const noPreferences = { audio: null, subtitles: null }

t.test('titles are liked and disliked', async t => {
  const { client, sent } = clientOf(t, baseUrl)
  t.match(await client.rate(1, 'like'), { state: 'refused', error: { kind: 'signed-out' } })
  await newViewer(app, client)
  t.strictSame(await client.rate(1, 'like'), { state: 'sent' })
  t.strictSame(sent.at(-1), { path: 'PUT /ratings/1', body: { rating: 'like' } })
  await client.rate(2, 'dislike')
  t.match(await client.ratings({ perPage: 1 }), { collection: [{ content_id: 2, rating: 'dislike' }], meta: { total_count: 2 } })
  t.match(await client.ratings({ page: 2, perPage: 1 }), { collection: [{ content_id: 1, rating: 'like' }] })
  t.strictSame(await client.unrate(1), { state: 'sent' })
  t.strictSame(await client.unrate(1), { state: 'sent' }, 'it is not rated, as wanted')
  t.strictSame(await ratingsOf(client), { 2: 'dislike' })
})

t.test('languages are preferred for a title and in general', async t => {
  const { client, sent } = clientOf(t, baseUrl)
  await newViewer(app, client)
  t.strictSame(await client.changePreferences({ audio: 'de', subtitles: 'en' }), { state: 'sent' })
  t.strictSame(await client.changePreferences({ subtitles: 'off' }, 1), { state: 'sent' })
  t.strictSame(sent.at(-1), { path: 'PUT /preferences/1', body: { subtitles: 'off' } })
  t.strictSame(await client.preferences(), { audio: 'de', subtitles: 'en' })
  t.strictSame(await client.preferences(1), { audio: 'de', subtitles: 'off' })
  t.match(await client.changePreferences({ audio: 'no language' }, 1), { state: 'refused', error: { status: 400 } })
  await client.clearPreferences()
  t.strictSame(await client.preferences(1), { audio: null, subtitles: 'off' })
  t.strictSame(await client.clearPreferences(1), { state: 'sent' })
  t.strictSame(await client.clearPreferences(1), { state: 'sent' }, 'there are none, as wanted')
  t.strictSame(await client.preferences(1), noPreferences)
})

t.test('what cannot be sent is kept, and the last one of a title counts', async t => {
  const { app, baseUrl, again } = await serve(t)
  const store = createStore()
  const { client } = clientOf(t, baseUrl, { store })
  const user = await newViewer(app, client)
  await client.rate(3, 'like')
  const before = await client.sync()
  await app.close()

  t.match(await client.rate(1, 'like'), { state: 'kept', error: { kind: 'no-answer' } })
  for (const [content_id, rating] of [
    [2, 'like'],
    [1, 'dislike'],
    [2, 'dislike'],
    [2, 'like']
  ] as const)
    t.match(await client.rate(content_id, rating), { state: 'kept' })
  await client.unrate(3)
  await client.changePreferences({ audio: 'de' }, 1)
  await client.changePreferences({ subtitles: 'off' })
  await client.report({ content_id: 1, time: 10 })
  // Apps in JavaScript may name what they do not change.
  await client.changePreferences({ audio: 'en', subtitles: undefined } as object, 1)
  await client.changePreferences({ subtitles: 'fr' }, 1)
  t.equal(await client.unsent(), 6)
  t.strictSame(await client.copy(), before, 'the copy is available offline')

  await again()
  const next = clientOf(t, baseUrl, { store })
  await until(async () => (await next.client.unsent()) === 0)
  t.match(
    next.sent.filter(({ path }) => path !== 'GET /health'),
    [
      { path: 'POST /history', body: { content_id: 1, time: 10 } },
      { path: 'PUT /ratings/1', body: { rating: 'dislike' } },
      { path: 'PUT /ratings/2', body: { rating: 'like' } },
      { path: 'DELETE /ratings/3' },
      { path: 'PUT /preferences', body: { subtitles: 'off' } },
      { path: 'PUT /preferences/1', body: { audio: 'en', subtitles: 'fr' } }
    ]
  )
  t.strictSame(await ratingsOf(next.client), { 1: 'dislike', 2: 'like' })
  t.strictSame(await next.client.preferences(1), { audio: 'en', subtitles: 'fr' })
  t.strictSame(await next.client.preferences(), { audio: null, subtitles: 'off' })
  t.match(await next.client.copy(), { ratings: [{ content_id: 3, rating: 'like' }], preferences: [] })
  t.match(await next.client.sync(), {
    ratings: [{ content_id: 2 }, { content_id: 1 }],
    preferences: [{ content_id: 1, audio: 'en' }, { content_id: null }]
  })
  t.equal((await store.load(`copy-${user.id}`))?.ratings.length, 2)
})

t.test('a rating that is changed while it is sent is sent again', async t => {
  const { open, gated } = gateTo('/ratings/1')
  const { client, count } = clientOf(t, baseUrl, { fetch: gated })
  await newViewer(app, client)
  const first = client.rate(1, 'like')
  await until(() => count('PUT /ratings/1') === 1)
  const second = client.rate(1, 'dislike')
  await until(async () => (await client.unsent()) === 1)
  open()
  t.match(await Promise.all([first, second]), [{ state: 'sent' }, { state: 'sent' }])
  t.strictSame(await ratingsOf(client), { 1: 'dislike' })
  t.equal(await client.unsent(), 0)
})

t.test('the service has the last word on what was kept, and only of its own user', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  const { time: _, ...rating } = { ...kept(user.id, 99), kind: 'rating', rating: 'like' } as const
  const ofOther = { ...rating, user_id: user.id + 1000, content_id: 1 }
  await store.save('unsent', [ofOther, { ...kept(user.id, 98) }, rating, { ...rating, content_id: 2 }])
  const { client } = clientOf(t, baseUrl, { store })
  await until(async () => (await client.unsent()) === 0)
  t.strictSame(await ratingsOf(client), { 2: 'like' })
  t.match(await client.refused(), [
    { kind: 'report', content_id: 98 },
    { ...rating, code: 404, message: 'Resource not found' }
  ])
  t.strictSame(await store.load('unsent'), [ofOther])
  await client.dropRefused()
  t.strictSame(await client.refused(), [])
})
