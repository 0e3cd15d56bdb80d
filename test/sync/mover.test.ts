import { setTimeout as sleep } from 'node:timers/promises'
import { BSONRegExp, type Document, ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { ensureCollections } from '../../src/database/collections.js'
import { connectionTo } from '../../src/database/connection.js'
import type { TakenLease } from '../../src/database/leases.js'
import { Mover } from '../../src/sync/mover.js'
import { type MovedList, movedLists } from '../../src/sync/moves.js'
import type { Report } from '../../src/viewing/progress.js'
import { reportOf } from '../../src/viewing/report-bodies.js'
import { moveClock } from '../catalogue/helper.js'
import { type App, build, buildWith } from '../helpers/app.js'
import { change, databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { serving } from '../helpers/serving.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { ask, Copy } from '../viewing/helper.js'

const contents = [film(5), film(6), film(7, { replaces: [5, 6] }), film(8)]
const replaced = new Map([[7, [5, 6]]])
const day = (n: number) => new Date(Date.UTC(2026, 0, n))

const leases = (app: App) => databaseOf(app).collection<{ _id: string; holder: string; expires_at: Date }>('leases')

/** An app that moves nothing by itself, as if another process were busy doing it. */
const keep = (app: App, lease: string) =>
  leases(app).updateOne({ _id: lease }, { $set: { holder: 'test', expires_at: new Date('2090-01-01') } }, { upsert: true })

const idle = async (t: Test, given = contents) => {
  const url = await seededUrl(t, { contents: given })
  const app = await build(t, { url })
  await keep(app, 'moves')
  await databaseOf(app).collection<{ _id: string }>('revisions').deleteOne({ _id: 'moves' })
  return app
}

const confirm = async () => ({})

/** Makes at most so many steps. Returns whether all is moved. */
const moveIn = async (app: App, steps = Number.POSITIVE_INFINITY, lists: readonly MovedList[] = movedLists, given = replaced) => {
  for (const list of lists) while ((await app.data.moves.step(list, given, confirm)).found > 0) if (--steps <= 0) return false
  return true
}

let users = 1000
const insert = async (app: App, list: string, ...elements: Document[]) => {
  const user_id = users++
  await databaseOf(app)
    .collection(list)
    .insertMany(elements.map(element => ({ _id: new ObjectId(), user_id, ...element })))
  return user_id
}
const stored = (app: App, list: string, user_id: number) => databaseOf(app).collection(list).find({ user_id }).toArray()

const id = (n: number) => new ObjectId(String(n).padStart(24, '0'))
const element = (content_id: number, observed: number, more: Document = {}) => ({
  _id: id(content_id),
  content_id,
  time: content_id * 10,
  percentage: content_id,
  created_at: day(observed),
  updated_at: day(observed),
  ...more
})

/** Moments of plays on so many days in a row. */
const playedEach = (from: number, count: number) => ({
  played: { at: Array.from({ length: count }, (_, i) => day(from + count - 1 - i)) },
  played_count: count
})

t.test('an element of an earlier id', async t => {
  const app = await idle(t)
  const merged = async (...elements: Document[]) => {
    await databaseOf(app).collection('history').deleteMany({})
    const user = await insert(app, 'history', ...elements)
    t.ok(await moveIn(app))
    const [only, ...others] = await stored(app, 'history', user)
    t.strictSame(others, [])
    t.match(only, { content_id: 7, merged: undefined })
    return only as Document
  }

  t.test('is moved as it is', async t => {
    const { arrived_at, ...rest } = await merged(element(5, 1, { plays: 2, watched_at: day(1), is_again: true, country: 'SE' }))
    t.strictSame(rest, {
      ...element(5, 1, { plays: 2, watched_at: day(1), is_again: true, country: 'SE' }),
      content_id: 7,
      user_id: users - 1
    })
    t.ok(arrived_at > day(1), 'and arrives anew')
  })

  t.test('is merged into the one of the present id', async t => {
    const cases: [string, Document[], Document][] = [
      ['the later position stays', [element(5, 2), element(7, 3)], { _id: id(7), time: 70, created_at: day(2), updated_at: day(3) }],
      ['whichever it is', [element(5, 3), element(7, 2)], { _id: id(5), time: 50, created_at: day(2), updated_at: day(3) }],
      ['of equals, the present one', [element(5, 2), element(7, 2)], { _id: id(7), time: 70 }],
      ['or the first', [element(5, 2, { plays: 1 }), element(6, 2, { plays: 4 })], { _id: id(5), plays: 5 }],
      [
        'plays add up, and the later completion stays',
        [
          element(5, 1, { plays: 1, watched_at: day(9) }),
          element(6, 3, { plays: 2, watched_at: day(3) }),
          element(7, 2, { watched_at: day(4) })
        ],
        { _id: id(6), time: 60, plays: 3, watched_at: day(9), created_at: day(1) }
      ],
      [
        'with its previous position',
        [element(5, 3, { previous_time: 900 }), element(7, 2, { previous_time: 800 })],
        { previous_time: 900 }
      ],
      ['and none but its own', [element(5, 2, { previous_time: 900 }), element(7, 3)], { previous_time: undefined }],
      [
        'up to a limit',
        [element(5, 1, { plays: Number.MAX_SAFE_INTEGER }), element(7, 3, { plays: 2 })],
        { plays: Number.MAX_SAFE_INTEGER }
      ],
      [
        'the latest of the moments stay',
        [element(5, 1, playedEach(1, 365)), element(7, 3, playedEach(1000, 3))],
        { played: { at: [day(1002), day(1001), day(1000), day(365)] }, played_count: 366 }
      ],
      [
        'whatever an earlier version has merged',
        [
          element(5, 1, { plays: 1, ...playedEach(1, 1) }),
          element(7, 3, { plays: 3, ...playedEach(5, 2), merged: { _id: id(5), added: 1 } })
        ],
        { plays: 3, played: { at: [day(6), day(5), day(1)] } }
      ],
      ['and there may be none', [element(5, 1, { plays: 1 }), element(7, 3, { plays: 1 })], { played: undefined, plays: 2 }]
    ]
    for (const [what, elements, expected] of cases) t.match(await merged(...elements), expected, what)
  })

  t.test('is merged once, whatever happens between two steps', async t => {
    const played = (...days: number[]) => ({ plays: days.length, played: { at: days.map(day) }, played_count: days.length })
    const elements = [element(5, 1, played(2)), element(6, 3, played(6, 2)), element(7, 2, played(5, 5, 4, 1))]
    const history = databaseOf(app).collection('history')
    for (let steps = 1; steps < 8; steps++)
      for (const changed of [5, 6, 7]) {
        await history.deleteMany({})
        const user = await insert(app, 'history', ...elements)
        const isDone = await moveIn(app, steps)
        const report = {
          $set: { updated_at: day(10), time: 999 },
          $inc: { plays: 1, played_count: 1 },
          $push: { 'played.at': { $each: [day(10)], $position: 0 } }
        }
        const { matchedCount } = await history.updateOne({ user_id: user, content_id: changed }, report as Document)
        t.ok(await moveIn(app))
        const [only, ...others] = await stored(app, 'history', user)
        t.strictSame(others, [])
        t.match(only, { content_id: 7, plays: 7 + matchedCount, created_at: day(1) }, `${changed} after ${steps} of ${isDone}`)
        t.equal(only?.merged, undefined)
        t.strictSame(
          [only?.played, only?.played_count],
          [{ at: [10, 6, 5, 5, 4, 2, 2, 1].slice(1 - matchedCount).map(day) }, 7 + matchedCount]
        )
        if (matchedCount > 0) t.equal(only?.time, 999)
      }
  })

  t.test('keeps the play of a title that was taken back and watched again between two steps', async t => {
    const title = { content_id: 7, earlier: [5] }
    for (let steps = 1; steps < 6; steps++) {
      await databaseOf(app).collection('history').deleteMany({})
      const user = await insert(app, 'history', element(5, 1, { plays: 1 }), element(7, 2, { plays: 2 }))
      const isDone = await moveIn(app, steps)
      await app.data.marks.unwatched(user, [title])
      t.equal(await app.data.marks.watched(user, [{ ...title, progress: { percentage: 100 } }]), 1)
      t.ok(await moveIn(app))
      t.match(await stored(app, 'history', user), [{ content_id: 7, plays: 1, percentage: 100 }], `after ${steps} of ${isDone}`)
    }
  })

  t.test('of every other list, too', async t => {
    const asked = { created_at: day(2), updated_at: day(2), arrived_at: day(3) }
    const cases: [MovedList, Document[], Document][] = [
      ['watchlist', [{ _id: 1, content_id: 5, ...asked }], { _id: 1, content_id: 7, created_at: day(2), asked_at: day(3) }],
      [
        'watchlist',
        [
          { _id: 2, content_id: 5, ...asked, updated_at: day(4), asked_at: day(5) },
          { _id: 3, content_id: 7, ...asked, created_at: day(1), asked_at: day(4) }
        ],
        { _id: 2, content_id: 7, created_at: day(1), asked_at: day(5) }
      ],
      ['hidden', [{ content_id: 6, created_at: day(2), arrived_at: day(2) }], { content_id: 7, created_at: day(2) }],
      [
        'hidden',
        [
          { _id: id(1), content_id: 5, created_at: day(1), asked_at: day(5) },
          { _id: id(2), content_id: 7, created_at: day(2) }
        ],
        { _id: id(1), content_id: 7, created_at: day(1), asked_at: day(5) }
      ],
      [
        'ratings',
        [
          { _id: id(1), content_id: 5, rating: 'like', created_at: day(1), asked_at: day(5) },
          { _id: id(2), content_id: 7, rating: 'dislike', created_at: day(2), asked_at: day(2) }
        ],
        { _id: id(2), content_id: 7, rating: 'dislike', created_at: day(2), asked_at: day(5) }
      ],
      [
        'preferences',
        [
          { _id: id(1), content_id: 5, audio: 'de', subtitles: 'off', updated_at: day(1), asked_at: day(1) },
          { _id: id(2), content_id: 7, audio: 'en', subtitles: null, updated_at: day(2), asked_at: day(2) }
        ],
        { _id: id(2), content_id: 7, audio: 'en', subtitles: 'off', updated_at: day(2), asked_at: day(2) }
      ],
      ['dismissals', [{ content_id: 5, at: day(1) }], { content_id: 7, at: day(1) }],
      [
        'dismissals',
        [
          { content_id: 5, at: day(3) },
          { content_id: 6, at: day(1) },
          { content_id: 7, at: day(2) }
        ],
        { content_id: 7, at: day(3) }
      ]
    ]
    for (const [list, elements, expected] of cases) {
      const user = await insert(app, list, ...elements)
      t.ok(await moveIn(app))
      const [only, ...others] = await stored(app, list, user)
      t.strictSame(others, [])
      t.match(only, expected, list)
    }
  })

  t.test('of one of many users is found, and what others have is left alone', async t => {
    await databaseOf(app).collection('history').deleteMany({})
    // More elements than a step reads.
    const ids = Array.from({ length: 90 }, (_, i) => 1000 + i)
    const many = new Map([
      [7, [5, 6]],
      [8, ids]
    ])
    const all: number[] = []
    for (let n = 0; n < 8; n++)
      all.push(
        await insert(
          app,
          'history',
          ...[4, 5, 7, ...ids].map(content_id => ({ ...element(content_id, 1, { plays: 1 }), _id: new ObjectId() }))
        )
      )
    t.ok(await moveIn(app, Number.POSITIVE_INFINITY, ['history'], many))
    for (const user of all) {
      const plays = (await stored(app, 'history', user)).map(({ content_id, plays }) => [content_id, plays])
      t.strictSame(
        plays.sort(([a], [b]) => a - b),
        [
          [4, 1],
          [7, 2],
          [8, 90]
        ]
      )
    }
  })
})

t.test('a step', async t => {
  const app = await idle(t)
  const history = databaseOf(app).collection('history')

  t.test('does not move an element for which the viewer has just begun another one', async t => {
    const user = await insert(app, 'history', element(5, 1, { plays: 1 }))
    const begun = async () => {
      await history.insertOne({ ...element(7, 2, { plays: 1 }), user_id: user })
      return confirm()
    }
    t.match(await app.data.moves.step('history', replaced, begun), { found: 1, changed: 0, moved: 0 })
    t.ok(await moveIn(app))
    t.match(await stored(app, 'history', user), [{ _id: id(7), content_id: 7, plays: 2 }])
  })

  t.test('leaves alone what has changed since it was read, and what it has told apps too long ago', async t => {
    const user = await insert(app, 'history', element(6, 1))
    const changed = async () => {
      await history.updateOne({ user_id: user }, { $set: { time: 99 } })
      return confirm()
    }
    t.match(await app.data.moves.step('history', replaced, changed), { changed: 0 })
    const late = async () => {
      await sleep(5100)
      return confirm()
    }
    t.match(await app.data.moves.step('history', replaced, late), { found: 1, changed: 0 })
    t.match(await stored(app, 'history', user), [{ content_id: 6, time: 99 }])
  })

  t.test('writes nothing without the lease', async t => {
    const before = await history.find().toArray()
    await t.rejects(
      app.data.moves.step('history', replaced, async () => {
        throw new Error('lost')
      }),
      { message: 'lost' }
    )
    t.strictSame(await history.find().toArray(), before)
  })
})

t.test('apps that keep a copy learn of it', async t => {
  const app = await idle(t, [film(5), film(7), film(8)])
  const viewer = await viewerOf(app)
  const copy = new Copy()
  const overlap = 0
  const follow = async () => {
    while (await ask(app, viewer.id, copy, { perPage: 10, overlap }));
  }
  for (const content_id of [5, 8]) {
    await watch(viewer, content_id, { time: 60 })
    await viewer.post('/watchlist', { content_id })
    await viewer.put(`/hidden/${content_id}`)
    await viewer.put(`/ratings/${content_id}`, { rating: 'like' })
    await viewer.put(`/preferences/${content_id}`, { audio: 'de' })
  }
  await viewer.post('/watchlist', { content_id: 7 })
  await follow()
  await sleep(5)
  await change(app, 'contents', 7, { replaces: [5] })
  await app.catalogue.refresh()
  t.ok(await moveIn(app))
  await follow()
  const fresh = new Copy()
  while (await ask(app, viewer.id, fresh, { perPage: 10, overlap }));
  t.strictSame(copy.sorted(), fresh.sorted())
  t.strictSame([...copy.lists.history.keys()].sort(), [7, 8])
})

t.test('a moved element is removed like any other', async t => {
  const app = await idle(t)
  const viewer = await viewerOf(app)
  const soon = new Date(Date.now() + 60_000)
  const moved = { user_id: viewer.id, content_id: 7, created_at: day(1), updated_at: day(1), asked_at: day(1), arrived_at: soon }
  await databaseOf(app)
    .collection<{ _id: number }>('watchlist')
    .insertOne({ ...moved, _id: 1 })
  await databaseOf(app).collection('hidden').insertOne(moved)
  await databaseOf(app)
    .collection('ratings')
    .insertOne({ ...moved, rating: 'like' })
  await databaseOf(app)
    .collection('preferences')
    .insertOne({ ...moved, audio: 'de' })
  await viewer.remove('/watchlist')
  await viewer.remove('/hidden/7')
  await viewer.remove('/ratings/7')
  await viewer.remove('/preferences/7')
  for (const list of ['watchlist', 'hidden', 'ratings', 'preferences']) t.strictSame(await stored(app, list, viewer.id), [], list)
})

t.test('the work', async t => {
  const app = await idle(t)
  const state = databaseOf(app).collection<{ _id: string; revision: number; isSettled: boolean; at: Date }>('revisions')
  // The mover of the app never gets its lease, because it would move elements between two steps of a test.
  const lease = 'moves of the test'
  await keep(app, lease)
  const leasesOfTest = {
    ...app.data.leases,
    withLease: <T>(_: string, work: (lease: TakenLease) => Promise<T>) => app.data.leases.withLease(lease, work)
  }
  const data = { ...app.data, leases: leasesOfTest }
  const moved: [MovedList, number][] = []
  const movingOf = (onMoved: (list: MovedList, count: number) => void = (list, count) => moved.push([list, count])) =>
    new Mover({ catalogue: app.catalogue, data, onMoved })
  const signal = new AbortController().signal
  const moving = movingOf()
  const user = await insert(app, 'history', element(5, 1))

  t.test('waits for the process that has the lease', async t => {
    t.equal(await moving.check(signal), 0)
    t.ok(moving.isDue)
    await leases(app).deleteOne({ _id: lease })
    t.equal(await moving.check(signal), 1)
    t.notOk(moving.isDue)
    t.strictSame(moved, [['history', 1]])
    t.match(await state.findOne({ _id: 'moves' }), { revision: app.catalogue.contentsRevision, isSettled: false })
  })

  t.test('is looked at once more after ten seconds, then every five minutes', async t => {
    const late = async () =>
      databaseOf(app)
        .collection('history')
        .updateOne({ user_id: user }, { $set: { content_id: 5 } })
    await late()
    t.equal(await moving.check(signal), 0, 'not at once')
    for (const [seconds, isSettled] of [
      [11, true],
      [301, true]
    ] as const) {
      const restore = moveClock(t, seconds * 1000)
      t.equal(await moving.check(signal), 0, 'another process may just have looked')
      restore()
      await state.updateOne({ _id: 'moves' }, [{ $set: { at: { $subtract: ['$at', seconds * 1000] } } }])
      const later = moveClock(t, 2 * seconds * 1000)
      t.equal(await moving.check(signal), 1)
      later()
      t.match(await state.findOne({ _id: 'moves' }), { isSettled })
      await late()
    }
  })

  t.test('is left to the next check when the catalogue changes or the process stops', async t => {
    const closing = new AbortController()
    for (const interrupt of [() => app.catalogue.skeleton.put(film(9, { replaces: [10] })), () => closing.abort()]) {
      await state.deleteOne({ _id: 'moves' })
      await databaseOf(app)
        .collection('history')
        .updateOne({ user_id: user }, { $set: { content_id: 5 } })
      const interrupted = movingOf(interrupt)
      t.equal(await interrupted.check(closing.signal), 1)
      t.ok(interrupted.isDue)
      t.equal(await state.findOne({ _id: 'moves' }), null)
    }
  })

  t.test('goes through all earlier ids in portions', async t => {
    const many = Array.from({ length: 250 }, (_, i) => film(2000 + i, { replaces: [3000 + i] }))
    for (const one of many) app.catalogue.skeleton.put(one)
    const owner = await insert(app, 'history', ...many.map(({ _id }) => ({ ...element(_id + 1000, 1), _id: new ObjectId() })))
    t.equal(await movingOf().check(signal), 250)
    t.strictSame(
      (await stored(app, 'history', owner)).map(({ content_id }) => content_id).sort(),
      many.map(({ _id }) => _id)
    )
  })

  t.test('fails where an element cannot be moved', async t => {
    // The driver does not read this option, so the element never is as it was read.
    const broken = await insert(app, 'history', element(6, 1, { _id: new ObjectId(), note: new BSONRegExp('a', 'x') }))
    let failure: unknown
    // The app looks, too, and nobody looks again soon after another one.
    await until(async () => {
      await state.deleteOne({ _id: 'moves' })
      failure = await movingOf()
        .check(signal)
        .catch((error: unknown) => error)
      return failure instanceof Error
    })
    t.match(failure, { message: /Elements of history cannot be moved/ })
    await databaseOf(app).collection('history').deleteMany({ user_id: broken })
  })
})

t.test('the app does it by itself, and says so', async t => {
  const log: string[] = []
  const app = await buildWith(t, { contents: [film(5), film(7)] }, { log })
  const viewer = await viewerOf(app)
  const _id = await watch(viewer, 5)
  const due = async () => /^replaced_elements_due (\d)/m.exec((await app.inject('/metrics')).body)?.[1]
  await change(app, 'contents', 7, { replaces: [5] })
  await until(async () => (await stored(app, 'history', viewer.id))[0]?.content_id === 7)
  await until(() => log.some(line => /moved elements of replaced contents/.test(line)))
  await until(async () => (await due()) === '0')
  t.match((await app.inject('/metrics')).body, /replaced_elements_moved_total\{list="history"\} 1/)
  t.match((await viewer.get('/history')).json().data.collection, [{ _id, content_id: 7 }])

  await databaseOf(app)
    .collection('history')
    .insertOne({ ...element(5, 1, { note: new BSONRegExp('a', 'x') }), user_id: 1 })
  await change(app, 'contents', 8, { ...film(8), replaces: [9] })
  await until(() => log.some(line => /could not be moved/.test(line)))
  t.equal(await due(), '1')
})

t.test('three killed processes lose nothing and count nothing twice', async t => {
  const given = Array.from({ length: 40 }, (_, i) => film(100 + i))
  const url = await seededUrl(t, { contents: [...given, ...given.map(({ _id }) => film(_id + 100))] })
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  await ensureCollections(db)
  const history = db.collection('history')
  const elements: Document[] = []
  const expected = new Map<string, { plays: number; time: number; at: number }>()
  for (let user_id = 5000; user_id < 5100; user_id++)
    for (const { _id } of given)
      for (const content_id of user_id % 2 ? [_id, _id + 100] : [_id]) {
        const at = Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 1e9)
        const [time, plays] = [elements.length, Math.floor(Math.random() * 3)]
        elements.push({ user_id, content_id, time, percentage: 5, plays, created_at: new Date(at), updated_at: new Date(at) })
        const key = `${user_id} ${_id + 100}`
        const other = expected.get(key) ?? { plays: 0, time: 0, at: 0 }
        expected.set(key, { plays: other.plays + plays, ...(at >= other.at ? { time, at } : { time: other.time, at: other.at }) })
      }
  await history.insertMany(elements)
  const replace = [{ $set: { replaces: [{ $subtract: ['$_id', 100] }], stamp: '$$NOW' } }]
  await db.collection<{ _id: number }>('contents').updateMany({ _id: { $gte: 200 } }, replace)
  const left = () => history.countDocuments({ content_id: { $lt: 200 } })
  const total = await left()

  const killedAt: number[] = []
  for (const share of [0.9, 0.6, 0.3]) {
    const server = await serving(t, { settings: { MONGO_URL: url } })
    await until(async () => (await left()) < share * total, { every: 1 })
    await server.kill()
    killedAt.push(await left())
    // Instead of the minute after which the lease runs out.
    await db.collection<{ _id: string }>('leases').deleteOne({ _id: 'moves' })
  }
  const server = await serving(t, { settings: { MONGO_URL: url } })
  await until(async () => (await left()) === 0)
  await until(async () => (await history.countDocuments({ merged: { $exists: true } })) === 0 || /moved elements/.test(server.said()))
  t.comment(`left at the kills: ${killedAt.join(', ')} of ${total}`)
  const found = await history.find({ user_id: { $gte: 5000 } }).toArray()
  t.strictSame(
    new Map(
      found.map(({ user_id, content_id, plays, time, updated_at }) => [
        `${user_id} ${content_id}`,
        { plays, time, at: updated_at.getTime() }
      ])
    ),
    expected
  )
  await server.stop()
})

t.test('reports through two processes, one of which knows nothing of it yet', async t => {
  const url = await seededUrl(t, { contents: [film(5), film(6), film(7)] })
  const [one, stale] = [await build(t, { url }), await build(t, { url })]
  await leases(one).updateOne({ _id: 'moves' }, { $set: { holder: 'test', expires_at: new Date('2090-01-01') } }, { upsert: true })
  const ids = Array.from({ length: 12 }, () => users++)
  const expected = new Map(ids.map(user => [user, { plays: 0, time: -1, at: 0 }]))
  for (const user_id of ids)
    for (const content_id of [5, 7]) {
      const plays = Math.floor(Math.random() * 4)
      const at = new Date('2026-01-01')
      await databaseOf(one)
        .collection('history')
        .insertOne({ user_id, content_id, time: 0, percentage: 20, plays, created_at: at, updated_at: at })
      const known = expected.get(user_id)
      if (known) known.plays += plays
    }
  // It keeps the catalogue that it has.
  stale.catalogue.refresh = async () => undefined
  await change(one, 'contents', 7, { replaces: [5, 6] })
  await one.catalogue.refresh()
  let clock = Date.UTC(2026, 1, 1)
  let isOver = false
  const report = async () => {
    while (!isOver) {
      const user = ids[Math.floor(Math.random() * ids.length)] as number
      const app = Math.random() < 0.5 ? one : stale
      const content_id = [5, 6, 7][Math.floor(Math.random() * 3)] as number
      const at = clock++
      const observed_at = new Date(at)
      const made = reportOf({ content_id, time: at, percentage: 30, observed_at: observed_at.toISOString() }, app.catalogue, everybody)
      await app.data.reports.put(user, made as Report)
      const known = expected.get(user)
      if (known && at > known.at) Object.assign(known, { time: at, at })
    }
  }
  const reporters = Array.from({ length: 6 }, report)
  for (const end = Date.now() + 3000; Date.now() < end; ) await moveIn(one, 5, ['history'])
  isOver = true
  await Promise.all(reporters)
  t.ok(await moveIn(one))
  const found = await databaseOf(one)
    .collection('history')
    .find({ user_id: { $in: ids } })
    .toArray()
  t.strictSame(new Map(found.map(({ user_id, plays, time, updated_at }) => [user_id, { plays, time, at: updated_at.getTime() }])), expected)
  t.ok(found.every(({ content_id, merged }) => content_id === 7 && merged === undefined))
})
