import type { Document } from 'mongodb'
import t from 'tap'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { type Answer, assertRefused, collectionOf } from '../helpers/answers.js'
import { build } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { closed, countryCases, notInUs, notToBeAdded, swedish, wantToken } from './helper.js'

const films = Array.from({ length: 200 }, (_, i) => film(1001 + i))
const contents = [...films, film(1, { duration: 200 }), ...Object.values(closed), swedish, notInUs]

const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
const wire = (moment: string) => moment.replace('Z', '000Z')

interface Refused {
  index: number
  code: number
  message: string
}

/** Numbers that look random and are the same at each run. */
const shuffled = <T>(items: T[]) =>
  items
    .map((item, i) => ({ item, place: Math.sin(i + 1) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

t.test('many reports at once', async t => {
  const asked: Document[] = []
  const app = await build(t, {
    url: `${await seededUrl(t, { contents })}?monitorCommands=true`,
    settings: { COUNTRY_HEADER: 'cf-ipcountry' },
    extend: app => void app.mongoClient.on('commandStarted', ({ command }) => asked.push(command))
  })
  const stored = databaseOf(app).collection<HistoryDocument>('history')
  const send = (viewer: Viewer, reports: unknown) => viewer.post('/history/batch', { reports } as object)
  const elementOf = async (viewer: Viewer, content_id: number) => collectionOf(await viewer.get(`/history?content_id=${content_id}`))[0]

  const isSaved = (answer: Answer, saved: number, refused: Refused[] = [], what = '') => {
    const { message } = answer.json()
    const body = { success: true, code: 200, 'message ': message, message, data: { saved, refused } }
    t.strictSame([answer.statusCode, answer.body], [200, JSON.stringify(body)], what)
    t.match(message, /\w+ \w+/)
    t.match(answer.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
  }

  t.test('are saved as POST /history saves each', async t => {
    const [viewer, other] = [await viewerOf(app), await viewerOf(app)]
    await watch(viewer, 1003, { time: 1, observed_at: second(1) })
    await watch(other, 1003, { time: 1, observed_at: second(1) })
    const reports = [
      { content_id: 1001, time: 61.5, percentage: 12.25, observed_at: second(5) },
      { content_id: 1002, percentage: 95, observed_at: second(4) },
      { content_id: 1003, time: 7, observed_at: second(3) },
      { content_id: 1, time: 190, observed_at: second(2) },
      { content_id: 1004, time: 2, observed_at: second(1), user_id: other.id, plays: 9, more: [] }
    ]
    isSaved(await send(viewer, reports), 5)
    for (const report of reports) await other.post('/history', report)
    const listed = async (from: Viewer) =>
      collectionOf(await from.get('/history')).map((element: object) => ({ ...element, _id: '', user_id: 0 }))
    t.strictSame(await listed(viewer), await listed(other))
    t.match(
      await elementOf(viewer, 1),
      { percentage: 95, plays: 1, watched_at: wire(second(2)) },
      'also if the duration tells the percentage'
    )
    for (const element of await stored.find({ user_id: viewer.id }).toArray())
      t.strictSame(
        Object.keys(element)
          .filter(field => !['plays', 'watched_at', 'played', 'played_count', 'event'].includes(field))
          .sort(),
        ['_id', 'arrived_at', 'content_id', 'created_at', 'percentage', 'time', 'updated_at', 'user_id'],
        'no other field is stored'
      )
  })

  t.test('without an observation are of now', async t => {
    const viewer = await viewerOf(app)
    const before = Date.now()
    isSaved(
      await send(viewer, [
        { content_id: 1001, time: 3 },
        { content_id: 1002, observed_at: '2999-01-01T00:00:00Z' }
      ]),
      2
    )
    for (const id of [1001, 1002]) {
      const at = Date.parse((await elementOf(viewer, id)).updated_at)
      t.ok(at >= before && at <= Date.now())
    }
  })

  t.test('may be 200, and no more', async t => {
    const viewer = await viewerOf(app)
    const reports = films.map(({ _id }) => ({ content_id: _id, time: _id }))
    isSaved(await send(viewer, reports), 200)
    t.equal(await stored.countDocuments({ user_id: viewer.id }), 200)
    assertRefused(t, await send(viewer, [...reports, { content_id: 1, time: 1 }]), 'reports', '201')
    t.equal(await elementOf(viewer, 1), undefined, 'none of them is saved')
  })

  t.test('are one write, and one read if they are late', async t => {
    const viewer = await viewerOf(app)
    const asks = async (more: object) => {
      asked.length = 0
      await send(
        viewer,
        films.map(({ _id }) => ({ content_id: _id, ...more }))
      )
      return asked.flatMap(({ find, update }) => [...(find === 'removals' ? ['find'] : []), ...(update === 'history' ? ['update'] : [])])
    }
    t.strictSame(await asks({ time: 1 }), ['update'], 'new elements need one operation')
    t.strictSame(await asks({ time: 2 }), ['update'])
    t.strictSame(await asks({ time: 3, observed_at: second(1) }), ['find', 'update'])
    t.strictSame(await asks({ time: -1 }), [], 'refused reports need none')
  })

  t.test('one bad among 199 is refused alone', async t => {
    const viewer = await viewerOf(app)
    const reports: object[] = films.map(({ _id }) => ({ content_id: _id, time: _id }))
    reports[77] = { content_id: 1078, time: -1 }
    isSaved(await send(viewer, reports), 199, [{ index: 77, code: 400, message: 'time must be a number from 0' }])
    t.equal(await stored.countDocuments({ user_id: viewer.id }), 199)
    t.equal(await elementOf(viewer, 1078), undefined)
  })

  t.test('are refused with what POST /history says', async t => {
    const viewer = await viewerOf(app)
    const bad: unknown[] = [
      ...[null, true, 5, 'x', '', [], [{ content_id: 1 }], {}, { time: 5 }, { time: -1 }, { Content_id: 1 }],
      ...[null, '1', 'x', '', true, [1], {}, 0, -1, 1.5, 2 ** 53, 1e300].map(content_id => ({ content_id })),
      ...[null, '5', true, [5], {}, -0.001].map(time => ({ content_id: 1, time })),
      ...[null, '5', -1, 100.001].map(percentage => ({ content_id: 1, percentage })),
      ...[null, 5, '', 'x', '2026-02-30T00:00:00Z', '2026-01-01'].map(observed_at => ({ content_id: 1, observed_at })),
      { content_id: 1, time: -1, percentage: 'x', observed_at: 5 },
      ...notToBeAdded.map(([, content_id]) => ({ content_id })),
      { content_id: 777, time: -1 }
    ]
    const expected: Refused[] = []
    for (const [index, body] of bad.entries()) {
      const answer = await viewer.post('/history', JSON.stringify(body), { 'content-type': 'application/json' })
      const { code, message } = answer.json()
      t.equal(answer.statusCode, 400, JSON.stringify(body))
      expected.push({ index, code, message })
    }
    t.strictSame([...new Set(expected.map(({ code }) => code))].sort(), [400, 404])
    isSaved(await send(viewer, bad), 0, expected)
    t.strictSame(collectionOf(await viewer.get('/history')), [])
  })

  t.test('of what is closed in the country are refused', async t => {
    for (const [country, content_id, isOpen] of countryCases) {
      const viewer = await viewerOf(app, country === undefined ? {} : { 'cf-ipcountry': country })
      const refused = [{ index: 0, code: 404, message: "'The content was not found" }]
      isSaved(await send(viewer, [{ content_id }]), isOpen ? 1 : 0, isOpen ? [] : refused, `${content_id} in ${country}`)
      t.equal((await stored.findOne({ user_id: viewer.id }))?.country, isOpen && country !== 'XX' ? country?.toUpperCase() : undefined)
    }
  })

  t.test('of one content count in the order of their observations', async t => {
    const viewer = await viewerOf(app)
    const reports = Array.from({ length: 200 }, (_, i) => ({ content_id: 1001, time: i, observed_at: second(i) }))
    isSaved(await send(viewer, shuffled(reports)), 200)
    t.match(await elementOf(viewer, 1001), { time: 199, created_at: wire(second(0)), updated_at: wire(second(199)) })

    const parts = [{ time: 5, percentage: 50 }, { percentage: 60 }, { time: 7 }]
    for (const [n, order] of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0]
    ].entries()) {
      const content_id = 1010 + n
      await send(
        viewer,
        order.map(i => ({ content_id, ...parts[i], observed_at: second(i) }))
      )
      t.match(await elementOf(viewer, content_id), { time: 7, percentage: 60 }, order.join())
    }
    const equal = [1, 2, 3].map(time => ({ content_id: 1020, time, observed_at: second(1) }))
    await send(viewer, equal)
    t.match(await elementOf(viewer, 1020), { time: 3 }, 'the last of several equal ones counts')
    await send(viewer, [
      { content_id: 1021, time: 1 },
      { content_id: 1021, time: 2, observed_at: '2999-01-01T00:00:00Z' },
      { content_id: 1021, time: 3, observed_at: second(1) }
    ])
    t.match(await elementOf(viewer, 1021), { time: 2 }, 'without observed_at, or with one in the future, a report counts as now')
  })

  t.test('complete a content as often as it was watched', async t => {
    const viewer = await viewerOf(app)
    const report = (percentage: number, n: number) => ({ content_id: 1001, percentage, observed_at: second(n) })
    await send(viewer, shuffled([20, 95, 85, 99, 3, 50, 90, 92].map(report)))
    t.match(await elementOf(viewer, 1001), { percentage: 92, plays: 2, watched_at: wire(second(6)) })
    await send(viewer, shuffled([20, 95, 85, 99, 3, 50, 90, 92].map(report)))
    t.match(
      await elementOf(viewer, 1001),
      { percentage: 92, plays: 2, watched_at: wire(second(6)) },
      'the same batch again changes nothing'
    )
    await send(viewer, [report(5, 10), report(5, 20)])
    await send(viewer, [report(100, 30), report(0, 15)])
    t.match(await elementOf(viewer, 1001), { percentage: 100, plays: 3, watched_at: wire(second(30)) }, 'across two batches')
  })

  t.test('count once, however often they are sent with the same observations', async t => {
    for (const observed_at of [second(1), '2999-01-01T00:00:00Z']) {
      const viewer = await viewerOf(app)
      const reports = [100, 3, 100].map(percentage => ({ content_id: 1001, percentage, observed_at }))
      isSaved(await send(viewer, reports), 3)
      const { body } = await viewer.get('/history')
      t.match(await elementOf(viewer, 1001), { percentage: 100, plays: 2 })
      for (let n = 0; n < 3; n++) isSaved(await send(viewer, reports), 3)
      t.equal((await viewer.get('/history')).body, body)
    }
    const viewer = await viewerOf(app)
    await send(
      viewer,
      [100, 3, 100].map(percentage => ({ content_id: 1001, percentage }))
    )
    t.match(await elementOf(viewer, 1001), { percentage: 100, plays: 2 }, 'without observations, they count in turn')
  })

  t.test('that come late change nothing, and count as saved', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1001, { time: 9, observed_at: second(9) })
    const before = (await viewer.get('/history')).body
    isSaved(await send(viewer, [{ content_id: 1001, time: 1, percentage: 99, observed_at: second(8) }]), 1)
    t.equal((await viewer.get('/history')).body, before)
  })

  t.test('at once, from two devices, lose nothing', async t => {
    for (let round = 0; round < 5; round++) {
      const viewer = await viewerOf(app)
      const batch = (from: number) =>
        films.slice(from, from + 60).map(({ _id }) => ({ content_id: _id, percentage: 95, time: from, observed_at: second(from) }))
      const answers = await Promise.all([0, 20, 40, 20].map(from => send(viewer, batch(from))))
      for (const answer of answers) isSaved(answer, 60)
      const elements = await stored.find({ user_id: viewer.id }).sort({ content_id: 1 }).toArray()
      t.strictSame(
        elements.map(({ content_id, time, plays }) => [content_id, time, plays]),
        films
          .slice(0, 100)
          .map(({ _id }, i) => [_id, i < 20 ? 0 : i < 40 ? 20 : 40, 1].map((value, n) => (n === 1 && i >= 80 ? 40 : value)))
      )
    }
  })

  t.test('need a body of a list', async t => {
    const viewer = await viewerOf(app)
    for (const reports of [[], null, 5, 'x', {}, true, { 0: { content_id: 1 }, length: 1 }])
      assertRefused(t, await send(viewer, reports), 'reports', JSON.stringify(reports))
    assertRefused(t, await viewer.post('/history/batch', {}), 'reports', 'missing')
    assertRefused(t, await viewer.post('/history/batch', { content_id: 1 }), 'reports', 'a report')
    for (const body of [undefined, '', 'null', '[]', '5', '[{"content_id":1}]', '{', 'x']) {
      const answer = await viewer.post('/history/batch', body)
      t.match([answer.statusCode, answer.json()], [400, { success: false, code: 400, message: /\w+ \w+/ }], String(body))
    }
    t.strictSame(collectionOf(await viewer.get('/history')), [])
  })

  t.test('are at most 64 KiB', async t => {
    const viewer = await viewerOf(app)
    const most = 64 * 1024
    const body = (bytes: number) => {
      const text = JSON.stringify({ reports: [{ content_id: 1001, time: 1 }], pad: '' })
      return text.replace('"pad":""', `"pad":"${'x'.repeat(bytes - text.length)}"`)
    }
    const tooLong = await viewer.post('/history/batch', body(most + 1))
    t.match([tooLong.statusCode, tooLong.json()], [413, { success: false, code: 413, message: /\w/ }])
    t.equal(await elementOf(viewer, 1001), undefined)
    isSaved(await viewer.post('/history/batch', body(most)), 1)
  })

  t.test('change only the history of the caller', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    await watch(b, 1001, { time: 1, observed_at: second(1) })
    const before = (await b.get('/history')).body
    isSaved(await send(a, [{ content_id: 1001, time: 9, user_id: b.id, observed_at: second(2) }]), 1)
    t.equal((await b.get('/history')).body, before)
    t.match(await elementOf(a, 1001), { user_id: a.id, time: 9 })
  })

  t.test('want a token, whatever else is wrong', async t => {
    const viewer = await viewerOf(app)
    await wantToken(t, app, viewer.headers.authorization, [
      ['POST', '/history/batch', '{"reports":[{"content_id":1001}]}'],
      ['POST', '/history/batch', '{'],
      ['POST', '/history/batch']
    ])
    t.strictSame(collectionOf(await viewer.get('/history')), [])
  })

  t.test('take no other method', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1001)
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
      const body = method === 'PUT' ? { payload: { time: 1 } } : {}
      const { statusCode, headers } = await app.inject({ method, url: '/history/batch', headers: viewer.headers, ...body })
      t.strictSame([statusCode, headers.allow], [405, 'POST'], method)
    }
    t.equal(collectionOf(await viewer.get('/history')).length, 1)
    t.equal((await viewer.post('/history/batch/', { reports: [] })).statusCode, 404)
  })
})
