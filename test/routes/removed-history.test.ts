import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { removerOf, tellerOf } from '../../src/sync/index.js'
import type { HiddenDocument } from '../../src/viewing/hidden.js'
import { viewerLists } from '../../src/viewing/viewer-lists.js'
import { type Answer, collectionOf } from '../helpers/answers.js'
import { build, buildWith } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { tick } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { assertDone } from './helper.js'

const films = [1, 2, 3].map(id => film(id))
const longAgo = '2024-05-06T07:08:09.123Z'

t.test('removed history stays removed', async t => {
  const app = await buildWith(t, { contents: films })
  const contentIds = async (viewer: Viewer) =>
    collectionOf(await viewer.get('/history'))
      .map(({ content_id }: { content_id: number }) => content_id)
      .sort()
  const removeOne = async (viewer: Viewer, content_id: number) => {
    const [{ _id }] = collectionOf(await viewer.get(`/history?content_id=${content_id}`))
    assertDone(t, await viewer.remove(`/history/${_id}`), 200)
  }
  const removeAll = async (viewer: Viewer) => assertDone(t, await viewer.remove('/history'), 200)

  /** The same report by both ways. */
  const ways: [way: string, send: (viewer: Viewer, report: object) => Promise<Answer>, isTaken: (t: Test, answer: Answer) => void][] = [
    ['POST', (viewer, report) => viewer.post('/history', report), (t, answer) => assertDone(t, answer, 201)],
    [
      'a batch',
      (viewer, report) => viewer.post('/history/batch', { reports: [report] }),
      (t, answer) => t.match([answer.statusCode, answer.json()], [200, { data: { saved: 1, refused: [] } }])
    ]
  ]
  for (const [way, send, isTaken] of ways)
    for (const [what, remove, left] of [
      ['the element', (viewer: Viewer) => removeOne(viewer, 1), [2]],
      ['the whole history', removeAll, []]
    ] as [string, (viewer: Viewer) => Promise<void>, number[]][])
      t.test(`by ${way}, after a removal of ${what}`, async t => {
        const viewer = await viewerOf(app)
        for (const id of [1, 2]) await watch(viewer, id, { time: 5, observed_at: longAgo })
        const whileThere = new Date().toISOString()
        await tick()
        await remove(viewer)
        for (const observed_at of [longAgo, '1969-01-01T00:00:00Z', whileThere]) {
          const answer = await send(viewer, { content_id: 1, time: 9, observed_at })
          isTaken(t, answer)
          t.equal(answer.headers.location, undefined)
          t.strictSame(await contentIds(viewer), left, observed_at)
        }
        // As an attempt leaves it whose process is killed before it can remove the element again.
        const at = new Date(longAgo)
        await databaseOf(app)
          .collection('history')
          .insertOne({ user_id: viewer.id, content_id: 1, time: 9, percentage: 0, created_at: at, updated_at: at })
        const repeated = await send(viewer, { content_id: 1, time: 9, observed_at: longAgo })
        isTaken(t, repeated)
        t.equal(repeated.headers.location, undefined)
        t.strictSame(await contentIds(viewer), left, 'and what an earlier attempt has brought back')
        isTaken(t, await send(viewer, { content_id: 3, time: 9, observed_at: longAgo }))
        t.strictSame(await contentIds(viewer), what === 'the element' ? [2, 3] : [], 'only what was not removed is left')

        await tick()
        isTaken(t, await send(viewer, { content_id: 1, time: 7, observed_at: new Date().toISOString() }))
        t.match(collectionOf(await viewer.get('/history?content_id=1')), [{ time: 7, plays: 0 }], 'what was watched afterwards counts')
        const late = await send(viewer, { content_id: 1, time: 9, percentage: 99, observed_at: whileThere })
        isTaken(t, late)
        const [{ _id, ...again }] = collectionOf(await viewer.get('/history?content_id=1'))
        t.match(again, { time: 7, percentage: 0, plays: 0 }, 'without the values from before')
        if (way === 'POST') t.equal(late.headers.location, `/history/${_id}`)
      })

  t.test('of a batch what is older than each removal is dropped alone', async t => {
    const viewer = await viewerOf(app)
    for (const id of [1, 2]) await watch(viewer, id)
    await removeOne(viewer, 1)
    await tick()
    const since = new Date().toISOString()
    const answer = await viewer.post('/history/batch', {
      reports: [
        { content_id: 1, time: 1, percentage: 95, observed_at: longAgo },
        { content_id: 1, time: 2, observed_at: since },
        { content_id: 2, time: 3, observed_at: since },
        { content_id: 3, time: 4, observed_at: longAgo }
      ]
    })
    t.match(answer.json(), { data: { saved: 4, refused: [] } })
    t.strictSame(await contentIds(viewer), [1, 2, 3])
    t.match(collectionOf(await viewer.get('/history?content_id=1')), [{ time: 2, percentage: 0, plays: 0 }])
  })

  t.test('a report without an observation is of now, whatever was removed', async t => {
    const viewer = await viewerOf(app)
    for (let round = 0; round < 3; round++) {
      await watch(viewer, 1, { time: round, percentage: 95 })
      t.match(collectionOf(await viewer.get('/history')), [{ content_id: 1, time: round, plays: 1 }])
      await removeAll(viewer)
    }
    t.strictSame(await contentIds(viewer), [])
  })

  t.test('the removals of one user are not those of another', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    for (const viewer of [a, b]) await watch(viewer, 1, { observed_at: longAgo })
    await removeAll(a)
    await removeOne(b, 1)
    await watch(b, 2, { observed_at: longAgo })
    t.strictSame(await contentIds(b), [2])
  })

  t.test('no race of a late report with a removal brings it back', async t => {
    const { data } = app
    const { id } = await viewerOf(app)
    const ids = Array.from({ length: 12 }, (_, i) => i + 1)
    const elements = async () => (await data.history.list(id, { page: 1, perPage: 100 })).elements
    let races = 0
    for (let round = 0; round < 60; round++) {
      const observed_at = new Date()
      const reports = ids.map(content_id => ({ content_id, progress: { time: round, observed_at } }))
      await tick()
      await data.reports.putAll(id, reports)
      const removals: Promise<unknown>[] =
        round % 2
          ? [data.history.removeAll(id)]
          : (await elements()).map(({ _id }) =>
              data.history.remove(id, _id.toHexString()).catch(error => t.match(error.message, /not found/))
            )
      const late = [...reports.slice(0, 6).map(report => data.reports.put(id, report)), data.reports.putAll(id, reports)]
      await Promise.all([...removals, ...late])
      races += 6 + reports.length
      const left = await elements()
      if (left.length > 0) t.strictSame(left, [], `round ${round}`)
    }
    t.ok(races > 1000)
  })
})

t.test('a removal that takes long', async t => {
  const url = await seededUrl(t, { contents: films })
  const proxy = await proxyTo(t, url)
  const settings = { DATABASE_TIMEOUT: '8000' }
  const [slow, app] = [await build(t, { url: proxy.url, settings }), await build(t, { url, settings })]
  const db = databaseOf(app)

  /** Removes by one process. Once the database has done a command with this text, the other one goes on for at least `pause` milliseconds. */
  const meanwhile = async (viewer: Viewer, path: string, { text = 'findAndModify', pause = 0 }, act: () => Promise<unknown>) => {
    const held = proxy.at(text, proxy.freeze)
    const answer = slow.inject({ method: 'DELETE', url: path, headers: viewer.headers })
    await held
    // Until the database has done it.
    await sleep(100)
    await act()
    await sleep(pause)
    proxy.comeBack()
    return answer
  }
  const listed = async (viewer: Viewer, list: string) => collectionOf(await viewer.get(list))
  /** The lists as an app knows them that has followed the changes since the cursor. */
  const told = async (viewer: Viewer, cursor: string, ids: number[]) => {
    const { history, watchlist, hidden, ratings, removed } = (await viewer.get(`/changes?since=${cursor}`)).json().data
    const known = (elements: { content_id: number }[], gone: number[]) =>
      [...new Set([...ids.filter(id => !gone.includes(id)), ...elements.map(({ content_id }) => content_id)])].sort()
    return {
      history: known(history, removed.history),
      watchlist: known(watchlist, removed.watchlist),
      hidden: known(hidden, removed.hidden),
      ratings: known(ratings, removed.ratings)
    }
  }
  const cursorOf = async (viewer: Viewer) => {
    let data = (await viewer.get('/changes')).json().data
    while (data.more) data = (await viewer.get(`/changes?since=${data.cursor}`)).json().data
    return data.cursor as string
  }
  const completed = async (viewer: Viewer) => {
    for (const id of [1, 2]) await watch(viewer, id, { time: 90, percentage: 95, observed_at: longAgo })
    const [one] = await listed(viewer, '/history?content_id=1')
    return one._id as string
  }

  for (const [what, pathOf] of [
    ['of the history', () => '/history'],
    ['of an element', (id: string) => `/history/${id}`]
  ] as [string, (id: string) => string][])
    t.test(`${what} leaves what is watched in the meantime, and nothing of before`, async t => {
      const viewer = await viewerOf(app)
      const path = pathOf(await completed(viewer))
      const cursor = await cursorOf(viewer)
      const text = path === '/history' ? 'content_ids' : 'findAndModify'
      const answer = await meanwhile(viewer, path, { text, pause: 600 }, async () => {
        await watch(viewer, 1, { time: 5, percentage: 1 })
        await watch(viewer, 3, { time: 7 })
        const late = { content_id: 2, time: 9, observed_at: '2024-05-06T07:08:10Z' }
        t.equal((await viewer.post('/history', late)).statusCode, 201)
      })
      assertDone(t, answer, 200)
      const left = await listed(viewer, '/history')
      const [again] = left.filter(({ content_id }: { content_id: number }) => content_id === 1)
      t.match(again, { time: 5, percentage: 1, plays: 0, watched_at: null, created_at: again.updated_at })
      const ids = left.map(({ content_id }: { content_id: number }) => content_id).sort()
      t.strictSame(ids, path === '/history' ? [1, 3] : [1, 2, 3])
      t.strictSame((await told(viewer, cursor, [1, 2])).history, ids)
    })

  t.test('keeps a completion of the meantime', async t => {
    const viewer = await viewerOf(app)
    await completed(viewer)
    await meanwhile(viewer, '/history', { text: 'content_ids' }, async () => {
      await watch(viewer, 1, { percentage: 3 })
      await watch(viewer, 1, { percentage: 97 })
    })
    const [again] = await listed(viewer, '/history')
    t.match(again, { content_id: 1, percentage: 97, plays: 1, watched_at: again.updated_at })
  })

  t.test('leaves what is added to the watchlist in the meantime, though it was there', async t => {
    const viewer = await viewerOf(app)
    for (const content_id of [1, 2]) await viewer.post('/watchlist', { content_id })
    const cursor = await cursorOf(viewer)
    const answer = await meanwhile(viewer, '/watchlist', { text: 'content_ids' }, async () => {
      for (const content_id of [1, 3]) t.equal((await viewer.post('/watchlist', { content_id })).statusCode, 201)
    })
    assertDone(t, answer, 200)
    const left = await listed(viewer, '/watchlist')
    t.match(left, [{ content_id: 3 }, { content_id: 1, created_at: left[1].updated_at }], 'in the order of their addition')
    t.strictSame((await told(viewer, cursor, [1, 2])).watchlist, [1, 3])
  })

  t.test('leaves a title that is hidden again in the meantime', async t => {
    const viewer = await viewerOf(app)
    for (const id of [1, 2]) await viewer.put(`/hidden/${id}`)
    const cursor = await cursorOf(viewer)
    assertDone(t, await meanwhile(viewer, '/hidden/1', { pause: 600 }, () => viewer.put('/hidden/1')), 200)
    t.match(await listed(viewer, '/hidden'), [{ content_id: 1 }, { content_id: 2 }])
    t.strictSame((await told(viewer, cursor, [1, 2])).hidden, [1, 2])
  })

  t.test('finds nothing if another request has removed it in the meantime', async t => {
    const viewer = await viewerOf(app)
    await viewer.put('/hidden/1')
    t.equal((await meanwhile(viewer, '/hidden/1', { pause: 600 }, () => viewer.remove('/hidden/1'))).statusCode, 404)
  })

  t.test('that was decided on before an element was added leaves it', async t => {
    const viewer = await viewerOf(app)
    await viewer.put('/hidden/1')
    const hidden = db.collection<HiddenDocument>('hidden')
    const element = (await hidden.findOne({ user_id: viewer.id })) as HiddenDocument
    const remover = removerOf(db, viewerLists.hidden, tellerOf())
    t.equal(await remover.unlessSince(element, new Date(0)), false)
    t.equal(await hidden.countDocuments({ user_id: viewer.id }), 1)
  })

  t.test('leaves a title that is rated again in the meantime', async t => {
    for (const rating of ['like', 'dislike']) {
      const viewer = await viewerOf(app)
      for (const id of [1, 2]) await viewer.put(`/ratings/${id}`, { rating: 'like' })
      const cursor = await cursorOf(viewer)
      await meanwhile(viewer, '/ratings/1', { pause: 600 }, () => viewer.put('/ratings/1', { rating }))
      t.match(await listed(viewer, '/ratings'), [{ content_id: 1, rating }, { content_id: 2 }])
      t.strictSame((await told(viewer, cursor, [1, 2])).ratings, [1, 2])
    }
  })

  t.test('leaves a card that is dismissed in the meantime', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1, { time: 5, percentage: 5 })
    await viewer.remove('/continue-watching/2')
    await meanwhile(viewer, '/history', { text: 'content_ids' }, () => viewer.remove('/continue-watching/1'))
    t.strictSame(
      (await db.collection('dismissals').find({ user_id: viewer.id }).toArray()).map(({ content_id }) => content_id),
      [1]
    )
  })

  t.test('takes what is watched until its answer, if that comes soon', async t => {
    const viewer = await viewerOf(app)
    const id = await completed(viewer)
    assertDone(t, await meanwhile(viewer, `/history/${id}`, {}, () => watch(viewer, 1, { time: 5 })), 200)
    t.equal((await viewer.get(`/history/${id}`)).statusCode, 404)
  })

  t.test('removes everything, although its first mark has become too old', async t => {
    const [one, all] = [await viewerOf(app), await viewerOf(app)]
    const path = `/history/${await completed(one)}`
    await completed(all)
    const cursors = [await cursorOf(one), await cursorOf(all)] as const
    for (const [viewer, url, text, left] of [
      [one, path, 'findAndModify', [2]],
      [all, '/history', 'content_ids', []]
    ] as [Viewer, string, string, number[]][]) {
      assertDone(t, await meanwhile(viewer, url, { text, pause: 5200 }, tick), 200)
      t.strictSame(
        (await listed(viewer, '/history')).map(({ content_id }: { content_id: number }) => content_id),
        left
      )
      t.strictSame((await told(viewer, viewer === one ? cursors[0] : cursors[1], [1, 2])).history, left)
    }
    const mark = await db.collection('removals').findOne({ user_id: one.id })
    t.ok(mark?.at - mark?.before > 5000, 'made again, it still is of its first moment')
  })

  t.test('takes an element that a clock has dated ahead', async t => {
    const viewer = await viewerOf(app)
    const id = await completed(viewer)
    const ahead = { $set: { updated_at: new Date(Date.now() + 60_000) } }
    await db.collection('history').updateMany({ user_id: viewer.id }, ahead)
    assertDone(t, await viewer.remove(`/history/${id}`), 200)
    assertDone(t, await viewer.remove('/history'), 200)
    t.strictSame(await listed(viewer, '/history'), [])
    await tick()
    await watch(viewer, 1, { time: 5, observed_at: new Date().toISOString() })
    t.equal((await listed(viewer, '/history')).length, 1, 'and no report of afterwards is late')
  })
})
