import t from 'tap'
import { importFiles } from '../../src/import/index.js'
import { removeUser } from '../../src/privacy/erase.js'
import { type App, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { addEndpoint, buildOnSet, isGenuine, type Receiver, receiver } from './helper.js'

const films = [1, 2, 3, 4].map(id => JSON.stringify({ id, type: 'film', name: `Film ${id}`, duration: 1000 }))
const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString()

const startedOn = async (app: App) => {
  await importFiles(databaseOf(app), { 'contents.ndjson': films.join('\n') })
  await until(async () => (await app.inject('/contents/4')).statusCode === 200)
}

t.test('events', async t => {
  const { app } = await buildOnSet(t)
  await startedOn(app)
  const to: Receiver = await receiver(t)
  const { secret } = await addEndpoint(app, to)

  const markers = new Set<unknown>()
  /** Waits until all that has happened was sent: what happens is stored in its order, and then sent. */
  const settled = async () => {
    const { _id } = await app.data.users.add({ email: `${Math.random()}@example.com`, name: 'Marker', password_hash: 'x' })
    markers.add(_id)
    await until(() => to.deliveries.some(({ data }) => data.user_id === _id))
    await until(
      async () =>
        (await databaseOf(app)
          .collection('webhook_events')
          .countDocuments({ due_at: { $exists: true } })) === 0
    )
  }
  const sentBy = async (work: () => Promise<unknown>) => {
    await settled()
    const before = to.deliveries.length
    await work()
    await settled()
    return to.deliveries.slice(before).filter(({ data }) => !markers.has(data.user_id))
  }
  const words = (deliveries: Receiver['deliveries']) =>
    deliveries.map(({ type, data: { user_id, account_id, at, ...data } }) => [type, ...Object.values(data)].join(' ')).sort()

  t.test('of playback', async t => {
    const viewer = await viewerOf(app)
    const began = Date.now()
    const [started, ...others] = await sentBy(() => watch(viewer, 1, { time: 10 }).then(() => watch(viewer, 1, { time: 500 })))
    t.same(others, [])
    if (!started) return t.fail('nothing was sent')
    const { type, timestamp, data, headers, body } = started
    t.strictSame([type, Object.keys(JSON.parse(body))], ['playback.started', ['type', 'timestamp', 'data']])
    t.strictSame(data, { user_id: viewer.id, account_id: viewer.id, content_id: 1, at: data.at })
    t.ok(isGenuine(secret, started), 'a library of the specification accepts it')
    t.match(headers, { 'content-type': 'application/json', 'webhook-id': /^msg_/, 'webhook-signature': /^v1,/ })
    for (const moment of [String(data.at), timestamp])
      t.ok(Math.abs(Date.parse(moment) - began) < 30_000 && /\.\d{6}Z$/.test(moment), moment)

    t.strictSame(words(await sentBy(() => watch(viewer, 1, { percentage: 95 }))), ['playback.completed 1 1'])
    t.strictSame(words(await sentBy(() => watch(viewer, 1, { percentage: 99 }))), [], 'the end again')
    const again = await sentBy(async () => {
      await watch(viewer, 1, { percentage: 1 })
      await watch(viewer, 1, { percentage: 95 })
    })
    t.strictSame(words(again), ['playback.completed 1 2'])
    const both = await sentBy(() => watch(viewer, 2, { percentage: 100 }))
    t.strictSame(words(both), ['playback.completed 2 1', 'playback.started 2'])
    const removed = await sentBy(async () => {
      await viewer.remove('/history')
      await watch(viewer, 2, { percentage: 5 })
    })
    t.strictSame(words(removed), ['playback.started 2'], 'after a removal again')
    const id = await watch(viewer, 2)
    t.strictSame(words(await sentBy(() => viewer.put(`/history/${id}`, { percentage: 90 }))), ['playback.completed 2 1'])
  })

  t.test('of reports that come late, and of several at once', async t => {
    const viewer = await viewerOf(app)
    const report = (percentage: number, n: number, content_id = 1) => ({ content_id, percentage, observed_at: minute(n) })
    const batch = [report(95, 1), report(2, 2), report(95, 3), report(40, 4), report(95, 1, 2), { content_id: 3, percentage: 95 }]
    const sent = await sentBy(() => viewer.post('/history/batch', { reports: batch }))
    t.strictSame(words(sent), [
      'playback.completed 1 1',
      'playback.completed 1 2',
      'playback.completed 2 1',
      'playback.completed 3 1',
      'playback.started 1',
      'playback.started 2',
      'playback.started 3'
    ])
    t.strictSame(
      sent
        .filter(({ type, data }) => type === 'playback.completed' && data.content_id === 1)
        .map(({ data }) => data.at)
        .sort(),
      [minute(1), minute(3)].map(moment => moment.replace('000Z', '000000Z')),
      'when the player was there'
    )
    t.strictSame(words(await sentBy(() => viewer.post('/history/batch', { reports: batch.slice(0, -1) }))), [], 'sent again')
    t.strictSame(words(await sentBy(() => viewer.post('/history', report(3, 5)))), [])
    const undated = [1, 95].map(percentage => ({ content_id: 1, percentage }))
    t.strictSame(words(await sentBy(() => viewer.post('/history/batch', { reports: undated }))), ['playback.completed 1 3'])
    t.strictSame(words(await sentBy(() => viewer.post('/history', { content_id: 4 }))), ['playback.started 4'])
  })

  t.test('of marks as watched', async t => {
    const viewer = await viewerOf(app)
    const mark = (watched: boolean) => viewer.post('/history/watched', { content_id: 1, watched })
    t.strictSame(words(await sentBy(() => mark(true))), ['playback.completed 1 1'], 'which begin no playback')
    t.strictSame(words(await sentBy(() => mark(true))), [])
    t.strictSame(words(await sentBy(() => mark(false))), [])
    t.strictSame(words(await sentBy(() => watch(viewer, 1, { percentage: 95 }))), ['playback.completed 1 1'])
  })

  t.test('of lists', async t => {
    const viewer = await viewerOf(app)
    const add = (content_id: number) => viewer.post('/watchlist', { content_id })
    const added = await sentBy(() => Promise.all([add(1), add(2), add(1)]))
    t.strictSame(words(added), ['watchlist.added 1', 'watchlist.added 2'], 'once, whatever is repeated')
    const list = await viewer.get('/watchlist')
    const [{ id }] = list.json().data.collection
    const one = await sentBy(() => Promise.all([1, 2, 3].map(() => viewer.remove(`/watchlist/${id}`))))
    t.match(words(one), [/^watchlist\.removed [12]$/], 'once, also of several requests')
    t.match(words(await sentBy(() => viewer.remove('/watchlist'))), [/^watchlist\.removed [12]$/])
    t.strictSame(words(await sentBy(() => viewer.remove('/watchlist'))), [])

    const rate = (rating: string) => viewer.put('/ratings/1', { rating })
    t.strictSame(words(await sentBy(() => rate('like'))), ['rating.set 1 like'])
    t.strictSame(words(await sentBy(() => rate('like'))), [], 'the same again')
    t.strictSame(words(await sentBy(() => rate('dislike'))), ['rating.set 1 dislike'])
    t.strictSame(words(await sentBy(() => viewer.remove('/ratings/1'))), ['rating.removed 1'])
    t.strictSame(words(await sentBy(() => rate('like').then(() => viewer.remove('/ratings/1')))), ['rating.removed 1', 'rating.set 1 like'])
    t.strictSame(words(await sentBy(() => viewer.put('/hidden/1').then(() => viewer.remove('/hidden/1')))), [], 'not of hidden titles')
  })

  t.test('of people', async t => {
    let viewer = await viewerOf(app)
    const joined = await sentBy(async () => {
      viewer = await viewerOf(app)
    })
    t.strictSame(
      joined.map(({ type, data }) => [type, data]),
      [['user.created', { user_id: viewer.id, account_id: viewer.id }]]
    )
    let profile = 0
    const added = await sentBy(async () => {
      const { headers } = await viewer.post('/profiles', { name: 'Kid' })
      profile = Number(/\d+$/.exec(String(headers.location))?.[0])
    })
    t.strictSame(
      added.map(({ type, data }) => [type, data]),
      [['profile.created', { user_id: profile, account_id: viewer.id }]]
    )
    const { access_token } = (await viewer.post(`/profiles/${profile}/token`, {})).json().data
    const kid = { authorization: `Bearer ${access_token}` }
    const played = await sentBy(async () =>
      app.inject({ method: 'POST', url: '/history', headers: kid, payload: { content_id: 1, time: 5 } })
    )
    t.strictSame(
      played.map(({ data: { at, ...data } }) => data),
      [{ user_id: profile, account_id: viewer.id, content_id: 1 }]
    )
    const gone = await sentBy(() => viewer.remove(`/profiles/${profile}`))
    t.strictSame(
      gone.map(({ type, data }) => [type, data]),
      [['profile.deleted', { user_id: profile, account_id: viewer.id }]]
    )

    await viewer.post('/profiles', { name: 'Kid' })
    await watch(viewer, 1)
    const quiet = await sentBy(async () => {
      await app.data.users.disable(viewer.id)
      await app.data.users.enable(viewer.id)
    })
    t.same(words(quiet), [], 'nobody is told of users who are disabled or enabled')
    const again = await viewerOf(app)
    await again.post('/profiles', { name: 'Kid' })
    await watch(again, 1)
    const erased = await sentBy(() => again.post('/watchlist', { content_id: 1 }).then(() => again.remove('/me', { password })))
    const told = erased.filter(({ type }) => type !== 'watchlist.added')
    t.strictSame(
      told.map(({ type, data }) => [type, data]),
      [['user.erased', { user_id: again.id, account_id: again.id }]]
    )
    await removeUser(app.data, again.id)
  })

  t.test('not of imports, nor of replaced titles', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 3, { percentage: 95 })
    await viewer.post('/watchlist', { content_id: 3 })
    await viewer.put('/ratings/3', { rating: 'like' })
    const lines = (...records: object[]) => records.map(record => JSON.stringify(record)).join('\n')
    const own = { user_id: viewer.id, content_id: 2 }
    const sent = await sentBy(async () => {
      await importFiles(databaseOf(app), {
        'users.ndjson': lines({ id: 900, email: 'x@example.com', name: 'X' }, { id: 901, account_id: 900, name: 'Y' }),
        'history.ndjson': lines({ ...own, percentage: 95, plays: 3 }),
        'watchlist.ndjson': lines(own),
        'ratings.ndjson': lines({ ...own, rating: 'like' })
      })
      await importFiles(databaseOf(app), {
        'history.ndjson': lines({ ...own, percentage: 1, plays: 4, updated_at: new Date().toISOString() }),
        'ratings.ndjson': lines({ ...own, rating: 'dislike', created_at: new Date().toISOString() }),
        'contents.ndjson': [...films, JSON.stringify({ id: 30, type: 'film', name: 'Film 3', replaces: [3] })].join('\n')
      }).catch(error => t.fail(error.message))
      await until(async () => (await viewer.get('/history?content_id=30')).json().data.collection.length === 1)
      await until(async () => (await viewer.get('/watchlist?content_id=30')).json().data.collection.length === 1)
    })
    t.strictSame(words(sent), [])
    const later = await sentBy(() => watch(viewer, 2, { percentage: 95 }))
    t.strictSame(words(later), ['playback.completed 2 5'], 'the element of the import counts on')
  })

  t.test('of elements with many plays, which MongoDB logs in part', async t => {
    const viewer = await viewerOf(app)
    await importFiles(databaseOf(app), {
      'history.ndjson': JSON.stringify({
        user_id: viewer.id,
        content_id: 1,
        percentage: 1,
        played_at: Array.from({ length: 300 }, (_, n) => minute(n))
      })
    })
    t.strictSame(words(await sentBy(() => watch(viewer, 1, { percentage: 95 }))), ['playback.completed 1 301'])
  })

  t.test('as documents of other software say them', async t => {
    const viewer = await viewerOf(app)
    const db = databaseOf(app)
    const sent = await sentBy(async () => {
      await viewer.put('/ratings/2', { rating: 'like' })
      await watch(viewer, 2)
      for (const event of [
        'nonsense',
        'x y z w',
        '1 2 x',
        '9'.repeat(400),
        '1 2 3 99999999999999999999 report',
        '1 2 3 4 report\n',
        'removed'
      ])
        for (const name of ['ratings', 'history', 'removals', 'erasures', 'watchlist', 'users'])
          await db.collection(name).updateMany({}, { $set: { event } })
      await db.collection('erasures').updateMany({}, { $set: { event: 5 } })
      await db.collection('removals').insertOne({ user_id: viewer.id, list: 'nothing', content_ids: [1], event: 'removed', at: new Date() })
      await db.collection('removals').insertOne({ user_id: viewer.id, list: 'hidden', content_id: 1, at: new Date() })
      await db.collection('erasures').insertOne({ _id: 12_345 as never, at: new Date() })
    })
    t.strictSame(words(sent), ['playback.started 2', 'rating.set 2 like'])
  })
})

t.test('an endpoint gets the events that it asks for', async t => {
  const { app } = await buildOnSet(t)
  await startedOn(app)
  const [all, some] = [await receiver(t), await receiver(t)]
  await addEndpoint(app, all)
  await addEndpoint(app, some, ['playback.completed'])
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { percentage: 95 })
  await until(() => all.of('playback.completed').length === 1 && some.deliveries.length === 1)
  t.strictSame(some.seen(), ['playback.completed 1 1'])
  t.strictSame(all.seen().toSorted(), ['playback.completed 1 1', 'playback.started 1', 'user.created'])
  t.notSame(all.of('playback.completed')[0]?.headers['webhook-signature'], some.deliveries[0]?.headers['webhook-signature'])
  t.equal(all.of('playback.completed')[0]?.id, some.deliveries[0]?.id)
})
