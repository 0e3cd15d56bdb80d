import type { Document } from 'mongodb'
import t from 'tap'
import type { Changes } from '../../schemas/changes.js'
import { importFiles } from '../../src/import/index.js'
import { cursorAt, cursorText, encoded, readCursor } from '../../src/sync/index.js'
import { days } from '../../src/time.js'
import { assertRefused, collectionOf } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { tick } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { assertDone, wantToken } from './helper.js'

const films = Array.from({ length: 9 }, (_, i) => film(i + 1))
const lists = ['history', 'watchlist', 'hidden', 'ratings', 'preferences'] as const
type List = (typeof lists)[number]

const longAgo = new Date('2024-05-06T07:08:09.123Z')
const wireLongAgo = '2024-05-06T07:08:09.123000Z'
const beforeThat = '2024-05-06T07:08:09.122Z'
const lately = '2024-05-07T00:00:00Z'

const ask = async (viewer: Viewer, since?: string, perPage = 100): Promise<Changes> => {
  const query = new URLSearchParams({ perPage: String(perPage), ...(since !== undefined && { since }) })
  const answer = await viewer.get(`/changes?${query}`)
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json().data
}

/** Every page from a cursor on. */
const walk = async (viewer: Viewer, since?: string, perPage = 100) => {
  const pages: Changes[] = []
  for (let cursor = since, more = true; more; ) {
    const page = await ask(viewer, cursor, perPage)
    pages.push(page)
    ;({ cursor, more } = page)
    if (pages.length > 300) throw new Error('It comes to no end')
  }
  return pages
}

const sizeOf = (page: Changes) => lists.reduce((sum, list) => sum + page[list].length + page.removed[list].length, 0)
const contentIds = (elements: { content_id: number | null }[]) => elements.map(({ content_id }) => content_id)
const ascending = (ids: Iterable<number | null>) => [...ids].sort((a, b) => Number(a) - Number(b))

type Ids = (number | null)[]
type Summary = Record<List, Ids> & { removed: Record<List, Ids> }

const ofEachList = <T>(of: (list: List) => T) => Object.fromEntries(lists.map(list => [list, of(list)])) as Record<List, T>

/** What changed, by the contents alone. */
const summary = (pages: Changes[]): Summary => {
  const all = (idsOf: (page: Changes) => Ids) => ascending(new Set(pages.flatMap(idsOf)))
  return { ...ofEachList(list => all(page => contentIds(page[list]))), removed: ofEachList(list => all(page => page.removed[list])) }
}
const nothing = { ...ofEachList(() => []), removed: ofEachList(() => []) }

const settled = (user_id: number, content_id: number) => ({ user_id, content_id, created_at: longAgo, updated_at: longAgo })

const ratingIn = (list: string) =>
  list === 'ratings' ? { rating: 'like' } : list === 'preferences' ? { audio: 'en', subtitles: null } : {}

/** Elements that were there long before a viewer asks. */
const putLongAgo = async (app: App, { id }: Viewer, list: List, content_ids: number[], more: Document = {}) => {
  const elements = content_ids.map(content_id => ({
    ...(list === 'watchlist' && { _id: id * 10_000 + content_id }),
    ...settled(id, content_id),
    ...(list === 'history' && { time: 5, percentage: 5 }),
    ...ratingIn(list),
    ...more
  }))
  await databaseOf(app)
    .collection<Document>(list)
    .insertMany(elements as never)
}

t.test('changes', async t => {
  const app = await buildWith(t, { contents: films })
  const db = databaseOf(app)
  /** A viewer with old elements, and the cursor of an app that has them. */
  const follower = async (given: Partial<Record<List, number[]>> = ofEachList(() => [1, 2])) => {
    const viewer = await viewerOf(app)
    for (const [list, ids] of Object.entries(given)) await putLongAgo(app, viewer, list as List, ids)
    return { viewer, cursor: (await ask(viewer)).cursor }
  }

  t.test('of a viewer without anything', async t => {
    const viewer = await viewerOf(app)
    const answer = await viewer.get('/changes')
    const { cursor } = answer.json().data
    t.equal(answer.statusCode, 200)
    t.equal(answer.body, JSON.stringify({ success: true, data: { ...nothing, cursor, more: false, reset: false } }))
    t.match(cursor, /^[\w-]{20,200}$/)
    t.match(answer.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
  })

  t.test('have elements as the lists have them, but for the content', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1, { time: 61.5, percentage: 12.25 })
    await watch(viewer, 2, { percentage: 95 })
    await viewer.post('/watchlist', { content_id: 3 })
    await viewer.put('/hidden/4')
    await putLongAgo(app, viewer, 'hidden', [5])
    await viewer.put('/ratings/6', { rating: 'like' })
    await putLongAgo(app, viewer, 'ratings', [7])
    await viewer.put('/preferences', { audio: 'de' })
    await tick()
    await viewer.put('/preferences/8', { subtitles: 'off' })
    const listed = async (path: string) => collectionOf(await viewer.get(path)).map(({ content, ...element }: Document) => element)
    const answer = await viewer.get('/changes')
    const { cursor } = answer.json().data
    t.equal(
      answer.body,
      JSON.stringify({
        success: true,
        data: {
          history: (await listed('/history')).reverse(),
          watchlist: await listed('/watchlist'),
          hidden: (await listed('/hidden')).reverse(),
          ratings: (await listed('/ratings')).reverse(),
          preferences: answer.json().data.preferences,
          removed: nothing.removed,
          cursor,
          more: false,
          reset: false
        }
      })
    )
    const [first, second] = answer.json().data.history
    t.match([first.plays, first.watched_at, second.plays, second.watched_at], [0, null, 1, second.updated_at])
    t.equal(answer.json().data.watchlist[0].video_id, films[2]?.handler_id)
    t.equal(answer.json().data.hidden[0].created_at, wireLongAgo)
    t.match(answer.json().data.preferences, [
      { content_id: null, audio: 'de', subtitles: null, updated_at: /000Z$/ },
      { content_id: 8, audio: null, subtitles: 'off' }
    ])
    t.match(answer.json().data.ratings, [{ content_id: 7 }, { content_id: 6, rating: 'like' }])
  })

  t.test('come page by page', async t => {
    const { viewer, cursor } = await follower()
    await watch(viewer, 3)
    await viewer.remove('/watchlist')
    await viewer.remove('/hidden/1')
    const removed = { ...nothing.removed, watchlist: [1, 2], hidden: [1] }
    for (const since of [undefined, cursor])
      for (const perPage of [1, 2, 3, 4, 5, 7, 500]) {
        const pages = await walk(viewer, since, perPage)
        // A first reading is followed by what has changed since it began, if it took several pages.
        const expected = since
          ? { ...nothing, history: [3], removed }
          : { ...nothing, history: [1, 2, 3], hidden: [2], ratings: [1, 2], preferences: [1, 2], ...(pages.length > 1 && { removed }) }
        t.strictSame(summary(pages), expected, `${perPage} a page`)
        t.ok(
          pages.every(page => sizeOf(page) <= perPage),
          'no page is too long'
        )
        t.notOk(pages.some(({ reset }) => reset))
        if (perPage === 500) t.equal(pages.length, 1)
        if (perPage === 1) t.ok(pages.length >= sizeOf(pages[0] as Changes) + 3)
      }
  })

  t.test('are told once they are settled, and then no more', async t => {
    const { viewer, cursor } = await follower()
    t.match(await ask(viewer, cursor), { ...nothing, more: false, reset: false })
    const again = await ask(viewer, cursor)
    t.strictSame({ ...again, cursor }, { ...nothing, cursor, more: false, reset: false }, 'also with the same cursor')
    await watch(viewer, 3)
    const told = await ask(viewer, cursor)
    t.strictSame(contentIds(told.history), [3])
    t.strictSame({ ...(await ask(viewer, cursor)), cursor }, { ...told, cursor }, 'however often it is asked')
    t.strictSame(contentIds((await ask(viewer, told.cursor)).history), [3], 'and once more for a few seconds')
  })

  t.test('leave the cursor as it is while there are none, and renew it after a day', async t => {
    const { viewer } = await follower()
    const hoursAgo = (hours: number) => cursorText(cursorAt(viewer.id, Date.now() - hours * 3_600_000))
    for (const cursor of [hoursAgo(1), hoursAgo(23)])
      t.strictSame(await ask(viewer, cursor), { ...nothing, cursor, more: false, reset: false })
    const began = Date.now()
    const { cursor, ...told } = await ask(viewer, hoursAgo(25))
    t.strictSame(told, { ...nothing, more: false, reset: false })
    t.ok(Number(readCursor(cursor, { user: viewer.id, maxAge: undefined, restoredAt: 0 })?.began) > began - 60_000)
  })

  t.test('from before the first request include no removals', async t => {
    const viewer = await viewerOf(app)
    const marks: Document[] = [{ content_id: 1 }, { content_id: 0 }, { content_ids: [1, 2, 3] }]
    await db
      .collection('removals')
      .insertMany(marks.map(mark => ({ user_id: viewer.id, list: 'history', at: new Date(Date.now() - 60_000), ...mark })))
    await putLongAgo(app, viewer, 'history', [4, 5])
    t.strictSame(summary(await walk(viewer)), { ...nothing, history: [4, 5] })
    const first = await ask(viewer, undefined, 1)
    t.strictSame(contentIds(first.history), [4])
    const [element] = collectionOf(await viewer.get('/history?content_id=4'))
    await viewer.remove(`/history/${element._id}`)
    t.match(
      summary(await walk(viewer, first.cursor, 1)),
      { history: [5], removed: { history: [4] } },
      'except changes since the first page'
    )
  })

  const writes: [what: string, write: (viewer: Viewer) => Promise<unknown>, expected: object][] = [
    ['a report', viewer => watch(viewer, 1), { history: [1] }],
    ['a late report', viewer => watch(viewer, 1, { observed_at: lately, time: 9 }), { history: [1] }],
    ['a late report of a new content', viewer => watch(viewer, 3, { observed_at: beforeThat, time: 9 }), { history: [3] }],
    ['a report too late', viewer => watch(viewer, 1, { observed_at: beforeThat, time: 9 }), {}],
    [
      'a late update by id',
      async viewer => {
        const [{ _id }] = collectionOf(await viewer.get('/history?content_id=2'))
        assertDone(t, await viewer.put(`/history/${_id}`, { time: 9, observed_at: lately }), 200)
      },
      { history: [2] }
    ],
    [
      'a batch',
      viewer =>
        viewer.post('/history/batch', {
          reports: [
            { content_id: 1, time: 9, observed_at: lately },
            { content_id: 2, time: 9, observed_at: beforeThat },
            { content_id: 3, time: 9, observed_at: beforeThat },
            { content_id: 4, time: 9 }
          ]
        }),
      { history: [1, 3, 4] }
    ],
    [
      'an import',
      ({ id: user_id }) =>
        importFiles(db, {
          'history.ndjson': [
            { user_id, content_id: 1, time: 9, updated_at: lately },
            { user_id, content_id: 2, time: 9, updated_at: beforeThat },
            { user_id, content_id: 3, time: 9, updated_at: beforeThat }
          ]
            .map(line => JSON.stringify(line))
            .join('\n'),
          ...Object.fromEntries(
            ['watchlist', 'hidden', 'ratings'].map(list => [
              `${list}.ndjson`,
              [1, 3].map(content_id => JSON.stringify({ user_id, content_id, ...ratingIn(list), created_at: beforeThat })).join('\n')
            ])
          )
        }),
      { history: [1, 3], watchlist: [3], hidden: [3], ratings: [3] }
    ],
    ['an addition to the watchlist', viewer => viewer.post('/watchlist', { content_id: 3 }), { watchlist: [3] }],
    ['one that is there', viewer => viewer.post('/watchlist', { content_id: 1 }), {}],
    ['a removal from the watchlist', viewer => viewer.remove(`/watchlist/${viewer.id * 10_000 + 1}`), { removed: { watchlist: [1] } }],
    ['a clear of the watchlist', viewer => viewer.remove('/watchlist'), { removed: { watchlist: [1, 2] } }],
    ['a title that is hidden', viewer => viewer.put('/hidden/3'), { hidden: [3] }],
    ['one that was hidden', viewer => viewer.put('/hidden/1'), {}],
    ['a title that is rated', viewer => viewer.put('/ratings/3', { rating: 'like' }), { ratings: [3] }],
    ['another rating', viewer => viewer.put('/ratings/1', { rating: 'dislike' }), { ratings: [1] }],
    ['the same rating', viewer => viewer.put('/ratings/1', { rating: 'like' }), {}],
    ['a rating that is removed', viewer => viewer.remove('/ratings/1'), { removed: { ratings: [1] } }],
    ['preferences', viewer => viewer.put('/preferences/3', { audio: 'de' }), { preferences: [3] }],
    ['others of a title', viewer => viewer.put('/preferences/1', { subtitles: 'de' }), { preferences: [1] }],
    ['the same', viewer => viewer.put('/preferences/1', { audio: 'en', subtitles: null }), {}],
    ['some that are cleared', viewer => viewer.put('/preferences/1', { audio: null }), { removed: { preferences: [1] } }],
    ['some that are removed', viewer => viewer.remove('/preferences/1'), { removed: { preferences: [1] } }],
    ['those of the profile', viewer => viewer.put('/preferences', { audio: 'de' }), { preferences: [null] }],
    [
      'those of the profile that are removed',
      async viewer => {
        await viewer.put('/preferences', { audio: 'de' })
        await viewer.put('/preferences', { audio: null })
      },
      { removed: { preferences: [null] } }
    ],
    ['a title that is shown again', viewer => viewer.remove('/hidden/1'), { removed: { hidden: [1] } }],
    [
      'a removal from the history',
      async viewer => {
        const [{ _id }] = collectionOf(await viewer.get('/history?content_id=2'))
        await viewer.remove(`/history/${_id}`)
      },
      { removed: { history: [2] } }
    ],
    ['a clear of the history', viewer => viewer.remove('/history'), { removed: { history: [1, 2] } }],
    [
      'what is there again',
      async viewer => {
        await viewer.remove('/history')
        await viewer.remove('/watchlist')
        await viewer.remove('/hidden/2')
        await watch(viewer, 1)
        await viewer.post('/watchlist', { content_id: 1 })
        await viewer.put('/hidden/2')
        await viewer.remove('/ratings/2')
        await viewer.put('/ratings/2', { rating: 'like' })
      },
      { history: [1], watchlist: [1], hidden: [2], ratings: [2], removed: { history: [2], watchlist: [2] } }
    ]
  ]
  for (const [what, write, expected] of writes)
    t.test(`tell of ${what}`, async t => {
      const { viewer, cursor } = await follower()
      await write(viewer)
      const { removed, ...elements } = { removed: {}, ...expected }
      const all = { ...nothing, ...elements, removed: { ...nothing.removed, ...removed } }
      t.strictSame(summary(await walk(viewer, cursor)), all)
      t.strictSame(summary(await walk(viewer, cursor, 1)), all, 'one a page')
    })

  t.test('tell of what an import dates ahead, also a caller who begins then', async t => {
    const { viewer, cursor } = await follower({})
    const ahead = '2999-01-01T00:00:00Z'
    const linesOf = (list: List) =>
      [1, 3]
        .map(content_id =>
          JSON.stringify({
            user_id: viewer.id,
            content_id,
            ...ratingIn(list),
            [list === 'preferences' ? 'updated_at' : 'created_at']: ahead
          })
        )
        .join('\n')
    await importFiles(db, Object.fromEntries(lists.map(list => [`${list}.ndjson`, linesOf(list)])))
    const all = { ...nothing, ...ofEachList(() => [1, 3]) }
    for (const since of [undefined, cursor])
      for (const perPage of [100, 1]) t.strictSame(summary(await walk(viewer, since, perPage)), all, `${since && 'later'} ${perPage}`)
  })

  t.test('tell a removal that was left out since the element was there again, and was not for long', async t => {
    const { viewer, cursor } = await follower({ history: [1] })
    await viewer.remove(`/history/${collectionOf(await viewer.get('/history'))[0]._id}`)
    await tick()
    const id = await watch(viewer, 1)
    const first = await ask(viewer, cursor, 1)
    t.match(first, { ...nothing, more: true })
    await tick()
    await viewer.remove(`/history/${id}`)
    t.strictSame((await ask(viewer, first.cursor)).removed.history, [1])
  })

  t.test('tell every removal of an hour ago, however few a page', async t => {
    const viewer = await viewerOf(app)
    const ids = Array.from({ length: 9 }, (_, i) => i + 1)
    const anHourAgo = Date.now() - 3_600_000
    await db
      .collection('removals')
      .insertMany(ids.map(content_id => ({ user_id: viewer.id, list: 'hidden', content_id, at: new Date(anHourAgo + (content_id >> 1)) })))
    for (const perPage of [1, 2, 3, 4, 8, 9]) {
      const pages = await walk(viewer, cursorText(cursorAt(viewer.id, anHourAgo)), perPage)
      t.strictSame(summary(pages).removed.hidden, ids, `${perPage} a page`)
    }
  })

  t.test('name everything of a list that was cleared, however long', async t => {
    const ids = Array.from({ length: 5003 }, (_, i) => i + 1)
    const viewer = await viewerOf(app)
    await putLongAgo(app, viewer, 'history', ids)
    const [known] = (await walk(viewer, undefined, 500)).slice(-1)
    assertDone(t, await viewer.remove('/history'), 200)
    const marks = await db.collection('removals').find({ user_id: viewer.id }).toArray()
    t.strictSame(marks.map(({ content_ids }) => content_ids?.length).sort(), [3, 5000, undefined])
    const pages = await walk(viewer, known?.cursor, 499)
    t.strictSame(
      pages.flatMap(({ removed }) => removed.history),
      ids,
      'each id once'
    )
    t.ok(pages.every(page => sizeOf(page) <= 499))
  })

  t.test('name everything of a list that is filled and cleared again and again, and keep each content once', async t => {
    const { viewer, cursor } = await follower({})
    const clear = async (ids: number[]) => {
      await putLongAgo(app, viewer, 'history', ids)
      await tick()
      await viewer.remove('/history')
    }
    await clear([1, 2, 3, 4, 5])
    const inTheMiddle = await Promise.all([1, 2, 3, 4, 5].map(perPage => ask(viewer, cursor, perPage)))
    for (const ids of [[2, 4], [4], [4, 6]]) await clear(ids)
    const marks = await db.collection('removals').find({ user_id: viewer.id }).sort({ at: 1 }).toArray()
    t.strictSame(
      marks.flatMap(({ content_ids }) => (content_ids ? [content_ids] : [])),
      [[1, 3, 5], [2], [4, 6]]
    )
    for (const page of inTheMiddle)
      for (const perPage of [1, 2, 100]) {
        const pages = [page, ...(await walk(viewer, page.cursor, perPage))]
        t.strictSame(summary(pages).removed.history, [1, 2, 3, 4, 5, 6], `after ${page.removed.history}, ${perPage} a page`)
      }
  })

  t.test('begin again without an error if the cursor is not one of the user', async t => {
    const { viewer, cursor } = await follower()
    const other = await follower()
    const at = Date.now() - 60_000
    const position = (more: object = {}) =>
      Object.values({ user: viewer.id, time: at, source: 0, id: 0, content_id: 0, began: at, isFirst: 0, again: 0, ...more })
    const fresh = await ask(viewer)
    t.notOk((await ask(viewer, encoded(position()))).reset, 'unlike with a valid cursor')
    const table: [string, string][] = [
      ['of another user', other.cursor],
      ['of next year', cursorText(cursorAt(viewer.id, Date.now() + days(365)))],
      ['of ten minutes to come', cursorText(cursorAt(viewer.id, Date.now() + 600_000))],
      ['older than 90 days', cursorText(cursorAt(viewer.id, Date.now() - days(90)))],
      ['without a checksum', Buffer.from(JSON.stringify(position())).toString('base64url')],
      ['of 1,000 characters', 'A'.repeat(1000)],
      ['with more behind', `${cursor}${'A'.repeat(800)}`],
      ['of 1,000 characters of brackets', Buffer.from('['.repeat(750)).toString('base64url')],
      ['cut in half', cursor.slice(0, cursor.length / 2)],
      ['cut by one', cursor.slice(0, -1)],
      ['empty', ''],
      ...['x', '-', '====', '%00', 'null', '\u{1F600}', '{"$ne":null}', viewer.headers.authorization].map((nonsense): [string, string] => [
        nonsense,
        nonsense
      ]),
      ...[null, 1, 'x', {}, [], position().slice(1), [...position(), 0], { ...position(), length: 8 }].map((value): [string, string] => [
        JSON.stringify(value),
        encoded(value)
      ]),
      ...['user', 'time', 'source', 'id', 'content_id', 'began', 'isFirst', 'again'].flatMap(field =>
        [null, true, 'x', {}, [], { $gt: 0 }, { $oid: 'a'.repeat(24) }, [0]].map((value): [string, string] => [
          `${field} ${JSON.stringify(value)}`,
          encoded(position({ [field]: value }))
        ])
      ),
      ...[
        { user: String(viewer.id) },
        { source: -2 },
        { source: 9 },
        { source: 0.5 },
        { time: -1e15 },
        { time: 1e300 },
        { began: 0 },
        { began: 1e15 },
        { again: 1e15 },
        { id: 'A'.repeat(24) },
        { id: `${'a'.repeat(24)}\n` }
      ].map((more): [string, string] => [JSON.stringify(more), encoded(position(more))])
    ]
    for (const [what, since] of table) {
      const answer = await ask(viewer, since)
      t.strictSame({ ...answer, cursor }, { ...fresh, cursor, reset: true }, what.slice(0, 60))
    }
    const [, after] = await walk(viewer, 'x', 4)
    t.notOk(after?.reset, 'the copy goes on from there')
  })

  t.test('begin again if any character of the cursor was changed', async t => {
    const { viewer } = await follower({ history: [1, 2, 3] })
    // One at the end of a reading and one within it, which names an element.
    const cursors = [(await ask(viewer)).cursor, (await ask(viewer, undefined, 1)).cursor]
    for (const cursor of cursors) {
      t.equal((await ask(viewer, cursor)).reset, false)
      t.ok(cursor.length < 300)
      const reader = { user: viewer.id, maxAge: undefined, restoredAt: 0 }
      t.ok(readCursor(cursor, reader))
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. '
      const taken: string[] = []
      for (let i = 0; i <= cursor.length; i++) {
        const [before, after] = [cursor.slice(0, i), cursor.slice(i + 1)]
        const changed = [...alphabet].flatMap(character => [`${before}${character}${after}`, `${before}${character}${cursor.slice(i)}`])
        for (const text of [...changed, `${before}${after}`]) if (text !== cursor && readCursor(text, reader)) taken.push(text)
      }
      t.strictSame(taken, [], 'nothing that was replaced, inserted or left out goes unnoticed')
      const other = (character = '') => (character === 'A' ? 'B' : 'A')
      for (const i of [0, 5, cursor.length / 2, cursor.length - 12, cursor.length - 1].map(Math.floor)) {
        const changed = cursor.slice(0, i) + other(cursor[i]) + cursor.slice(i + 1)
        t.match(await ask(viewer, changed), { reset: true, history: [{}, {}, {}] })
      }
    }
  })

  t.test('with a made-up cursor are only those of the caller', async t => {
    const { viewer } = await follower()
    const at = Date.now() - 60_000
    for (const source of [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8])
      for (const id of [0, -1.5, 1e308, 'a'.repeat(24)])
        for (const values of [
          [viewer.id, at, source, id, -1, at, 0, at],
          [viewer.id, longAgo.getTime(), source, id, 9, at, 1, -1e15]
        ]) {
          const page = await ask(viewer, encoded(values))
          for (const list of ['history', 'watchlist'] as const) for (const { user_id } of page[list]) t.equal(user_id, viewer.id)
          for (const list of lists) t.strictSame(page.removed[list], [])
        }
  })

  t.test('refuse bad queries', async t => {
    const viewer = await viewerOf(app)
    for (const value of ['0', '501', 'x', '', '-1', '1.5', '1e2', '9'.repeat(400)])
      assertRefused(t, await viewer.get(`/changes?perPage=${value}`), 'perPage', value.slice(0, 20))
    assertRefused(t, await viewer.get('/changes?perPage=5&perPage=5'), 'perPage', 'given twice')
    assertRefused(t, await viewer.get('/changes?since=a&since=b'), 'since', 'given twice')
    for (const length of [1001, 10_240]) assertRefused(t, await viewer.get(`/changes?since=${'A'.repeat(length)}`), 'since', `${length}`)
    for (const value of [1, 500]) t.equal((await viewer.get(`/changes?perPage=${value}&page=7&x=y`)).statusCode, 200)
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const answer = await app.inject({ method, url: '/changes', headers: viewer.headers })
      t.match([answer.statusCode, answer.headers.allow], [405, 'GET, HEAD'])
    }
  })

  t.test('want a token, whatever else is wrong', async t => {
    const { viewer } = await follower()
    await wantToken(t, app, viewer.headers.authorization, [
      ['GET', '/changes'],
      ['GET', '/changes?perPage=0'],
      ['GET', '/changes?since=x']
    ])
  })

  t.test('have nothing of another user', async t => {
    const [a, b] = [await follower({}), await follower()]
    await watch(b.viewer, 3)
    await b.viewer.remove('/watchlist')
    await b.viewer.remove('/hidden/1')
    t.strictSame(summary(await walk(a.viewer)), nothing)
    t.strictSame(summary(await walk(a.viewer, a.cursor)), nothing)
    const before = summary(await walk(b.viewer, b.cursor))
    await putLongAgo(app, a.viewer, 'history', [1, 2])
    await a.viewer.remove('/history')
    await watch(a.viewer, 4)
    t.strictSame(summary(await walk(b.viewer, b.cursor)), before)
  })

  t.test('are there for a user whose own document is gone', async t => {
    const { viewer, cursor } = await follower({ history: [1, 2] })
    await watch(viewer, 3)
    await db.collection<{ _id: number }>('users').deleteOne({ _id: viewer.id })
    t.strictSame(contentIds((await ask(viewer)).history), [1, 2, 3])
    t.strictSame(contentIds((await ask(viewer, cursor)).history), [3])
  })
})
