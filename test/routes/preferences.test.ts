import t, { type Test } from 'tap'
import type { PreferencesDocument } from '../../src/viewing/preferences.js'
import { type Answer, assertRefused } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf } from '../helpers/viewer.js'
import { span } from '../recommendations/helper.js'
import { assertDone, assertError, wantToken } from './helper.js'

const none = { audio: null, subtitles: null }
const assertNotFound = (t: Test, answer: Answer, what = '') => assertError(t, answer, 404, 404, 'Resource not found', what)

const read = async (viewer: Viewer, path = '/preferences') => {
  const answer = await viewer.get(path)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().data
}
const put = async (viewer: Viewer, path: string, values: object) => {
  const answer = await viewer.put(path, values)
  if (answer.statusCode !== 200) throw new Error(answer.body)
}
const told = async (viewer: Viewer, cursor: string) => {
  const { preferences, removed } = (await viewer.get(`/changes?since=${cursor}`)).json().data
  return { preferences: preferences.map(({ updated_at: _, ...values }: PreferencesDocument) => values), removed: removed.preferences }
}

t.test('preferences', async t => {
  const contents = [film(1), film(2), content(100), content(110, { type: 'season', parent_id: 100 }), episode(111, 110)]
  const app = await buildWith(t, { contents })
  const stored = databaseOf(app).collection<PreferencesDocument>('preferences')

  t.test('of a profile: what is given changes, null clears', async t => {
    const viewer = await viewerOf(app)
    const empty = await viewer.get('/preferences')
    t.equal(empty.body, JSON.stringify({ success: true, data: none }))
    t.match(empty.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
    const { cursor } = (await viewer.get('/changes')).json().data
    assertDone(t, await viewer.put('/preferences', { audio: 'de', user_id: 1, other: 'x' }), 200)
    assertDone(t, await viewer.put('/preferences', { subtitles: 'off' }), 200)
    t.strictSame(await read(viewer), { audio: 'de', subtitles: 'off' })
    assertDone(t, await viewer.put('/preferences', { audio: null }), 200)
    t.strictSame(await read(viewer), { audio: null, subtitles: 'off' })
    t.strictSame(await told(viewer, cursor), { preferences: [{ content_id: null, audio: null, subtitles: 'off' }], removed: [] })
    const document = await stored.findOne({ user_id: viewer.id })
    t.strictSame(Object.keys(document ?? {}).sort(), [
      '_id',
      'arrived_at',
      'asked_at',
      'audio',
      'content_id',
      'subtitles',
      'updated_at',
      'user_id'
    ])
    assertDone(t, await viewer.put('/preferences', none), 200)
    t.strictSame(await read(viewer), none)
    t.equal(await stored.countDocuments({ user_id: viewer.id }), 0, 'where both are null there is nothing')
    t.strictSame(await told(viewer, cursor), { preferences: [], removed: [null] })
    assertDone(t, await viewer.put('/preferences', none), 200, 'again')
    assertNotFound(t, await viewer.remove('/preferences'))
    await put(viewer, '/preferences', { audio: 'en' })
    assertDone(t, await viewer.remove('/preferences'), 200)
    t.strictSame(await read(viewer), none)
  })

  t.test('of a title: its own values, and those of the profile where it has none', async t => {
    const viewer = await viewerOf(app)
    await put(viewer, '/preferences', { audio: 'de', subtitles: 'off' })
    t.strictSame(await read(viewer, '/preferences/100'), { audio: 'de', subtitles: 'off' })
    assertDone(t, await viewer.put('/preferences/111', { audio: 'ja' }), 200)
    for (const id of [100, 110, 111]) t.strictSame(await read(viewer, `/preferences/${id}`), { audio: 'ja', subtitles: 'off' }, `${id}`)
    t.strictSame(await read(viewer, '/preferences/1'), { audio: 'de', subtitles: 'off' }, 'other titles have those of the profile')
    t.strictSame(await read(viewer), { audio: 'de', subtitles: 'off' })
    await put(viewer, '/preferences/100', { subtitles: 'en' })
    await put(viewer, '/preferences', none)
    t.strictSame(await read(viewer, '/preferences/110'), { audio: 'ja', subtitles: 'en' })
    const { cursor } = (await viewer.get('/changes')).json().data
    assertDone(t, await viewer.remove('/preferences/110'), 200)
    t.strictSame(await read(viewer, '/preferences/100'), none)
    assertNotFound(t, await viewer.remove('/preferences/100'), 'a second time')
    assertNotFound(t, await viewer.remove('/preferences/2'))
    t.strictSame((await told(viewer, cursor)).removed.toSorted(), [100, null].toSorted())
  })

  t.test('the same values again change nothing', async t => {
    const viewer = await viewerOf(app)
    await put(viewer, '/preferences/1', { audio: 'de' })
    const before = await stored.findOne({ user_id: viewer.id })
    await put(viewer, '/preferences/1', { audio: 'de', subtitles: null })
    const { asked_at: _, subtitles, ...after } = (await stored.findOne({ user_id: viewer.id })) as PreferencesDocument
    const { asked_at: __, ...expected } = before as PreferencesDocument
    t.strictSame([after, subtitles], [expected, null])
  })

  t.test('take language tags', async t => {
    const viewer = await viewerOf(app)
    const tags = [
      ...['de', 'en-GB', 'pt-br', 'zh-Hant-TW', 'es-419', 'sr-Latn', 'yue', 'zh-cmn-Hans-CN', 'de-CH-1901', 'sl-rozaj-biske'],
      ...['x-klingon', 'X-a-1', 'i-klingon', 'I-tao', 'en-GB-oed', 'sgn-CH-DE', 'art-lojban', 'zh-min-nan'],
      ...['en-u-ca-buddhist', 'de-DE-u-co-phonebk-x-linux', 'x'.repeat(8), `en-x-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-abc`]
    ]
    for (const tag of tags)
      for (const field of ['audio', 'subtitles']) {
        await put(viewer, '/preferences', { [field]: tag })
        t.equal((await read(viewer))[field], tag)
      }
    t.equal(tags.at(-1)?.length, 35)
  })

  t.test('refuse bad input', async t => {
    const viewer = await viewerOf(app)
    await put(viewer, '/preferences', { audio: 'de', subtitles: 'en' })
    await put(viewer, '/preferences/1', { audio: 'fr' })
    const wrong = [
      ...[
        'xx-',
        '-xx',
        'x',
        'de_DE',
        'en-',
        'en--GB',
        'en GB',
        ' de',
        'de\n',
        '',
        '\u{1F600}',
        'd\u00e9',
        'en-abcdefghi',
        'en-u',
        'x-',
        'i-elvish',
        '$audio',
        '123'
      ],
      ...[
        `en-x-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-abcd`,
        'a'.repeat(9000),
        ['de'],
        [],
        {},
        { $ne: 'de' },
        5,
        0,
        true,
        false
      ]
    ]
    for (const path of ['/preferences', '/preferences/1']) {
      for (const value of wrong)
        for (const field of ['audio', 'subtitles'])
          assertRefused(t, await viewer.put(path, { [field]: value }), field, JSON.stringify(value).slice(0, 40))
      for (const off of ['off', 'OFF']) assertRefused(t, await viewer.put(path, { audio: off }), 'audio', off)
      assertRefused(t, await viewer.put(path, { subtitles: 'Off' }), 'subtitles', 'Off')
      for (const body of [{}, { other: 'de' }]) {
        const answer = await viewer.put(path, body)
        t.match([answer.statusCode, answer.json()], [400, { errors: [{ field: 'audio', message: 'is required, or subtitles' }] }])
      }
      for (const body of [undefined, '', '[]', 'null', '"de"', '{']) t.equal((await viewer.put(path, body)).statusCode, 400, `${body}`)
      t.equal((await viewer.put(path, { audio: 'de', pad: 'x'.repeat(70_000) })).statusCode, 413)
      t.equal((await viewer.post(path, { audio: 'de' })).statusCode, 405)
    }
    for (const id of ['9999', '0', '-1', '1.0', '01', 'abc', '9'.repeat(400), '%00', '', 'null', '__proto__']) {
      assertNotFound(t, await viewer.get(`/preferences/${id}`), `GET ${id.slice(0, 30)}`)
      assertNotFound(t, await viewer.put(`/preferences/${id}`, { audio: 'de' }), `PUT ${id.slice(0, 30)}`)
      assertNotFound(t, await viewer.remove(`/preferences/${id}`), `DELETE ${id.slice(0, 30)}`)
    }
    t.strictSame(await read(viewer, '/preferences/1'), { audio: 'fr', subtitles: 'en' })
  })

  t.test('of at most 1,000 titles are kept: those that were changed longest ago go', async t => {
    const viewer = await viewerOf(app)
    await put(viewer, '/preferences', { audio: 'de' })
    const documents = span(1001, 2000).map((content_id, i) => ({
      ...{ user_id: viewer.id, content_id, audio: 'de', updated_at: new Date(1.7e12 + i) },
      ...(i > 0 && { arrived_at: new Date(1.7e12) })
    }))
    await stored.insertMany(documents as PreferencesDocument[])
    await stored.updateOne({ user_id: viewer.id, content_id: -1 }, { $set: { updated_at: new Date(0) } })
    let { cursor } = (await viewer.get('/changes?perPage=500')).json().data
    for (let more = true; more; ) ({ cursor, more } = (await viewer.get(`/changes?perPage=500&since=${cursor}`)).json().data)
    for (const id of [1, 2]) await put(viewer, `/preferences/${id}`, { audio: 'en' })
    const left = (await stored.find({ user_id: viewer.id }).toArray()).map(({ content_id }) => content_id).sort((a, b) => a - b)
    t.strictSame(left, [-1, 1, 2, ...span(1003, 2000)], 'and those of the profile do not count')
    t.strictSame((await told(viewer, cursor)).removed.toSorted(), [1001, 1002])
    await put(viewer, '/preferences/1', { audio: 'fr' })
    t.equal(await stored.countDocuments({ user_id: viewer.id }), 1001)
  })

  t.test('two devices at once lose nothing', async t => {
    const viewer = await viewerOf(app)
    for (let i = 0; i < 30; i++) {
      await put(viewer, '/preferences/1', { audio: 'de', subtitles: null })
      await Promise.all([put(viewer, '/preferences/1', { audio: null }), put(viewer, '/preferences/1', { subtitles: 'en' })])
      t.strictSame(await read(viewer, '/preferences/1'), { audio: null, subtitles: 'en' })
    }
  })

  t.test('of another user are not shown or changed', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    await put(b, '/preferences', { audio: 'de' })
    await put(b, '/preferences/1', { audio: 'en' })
    t.strictSame([await read(a), await read(a, '/preferences/1')], [none, none])
    for (const path of ['/preferences', '/preferences/1']) assertNotFound(t, await a.remove(path))
    await put(a, '/preferences/1', { audio: 'fr' })
    t.strictSame([(await read(b)).audio, (await read(b, '/preferences/1')).audio], ['de', 'en'])
  })

  t.test('want a token, whatever else is wrong', async t => {
    const viewer = await viewerOf(app)
    await wantToken(t, app, viewer.headers.authorization, [
      ['GET', '/preferences'],
      ['PUT', '/preferences', '{'],
      ['DELETE', '/preferences'],
      ['GET', '/preferences/x'],
      ['PUT', '/preferences/1'],
      ['DELETE', '/preferences/1']
    ])
  })
})

t.test('preferences of a title that became a part of another one are found under its id', async t => {
  const app = await buildWith(t, { contents: [content(1), film(2), film(3)] })
  const viewer = await viewerOf(app)
  for (const id of [2, 3]) {
    await put(viewer, `/preferences/${id}`, { audio: 'de' })
    await change(app, 'contents', id, { parent_id: 1 })
  }
  await put(viewer, '/preferences/1', { subtitles: 'en' })
  for (const id of [2, 3]) await until(async () => (await read(viewer, `/preferences/${id}`)).subtitles === 'en')
  await put(viewer, '/preferences/3', { audio: null })
  t.strictSame(await read(viewer, '/preferences/3'), { audio: null, subtitles: 'en' })
  t.strictSame(await read(viewer, '/preferences/2'), { audio: 'de', subtitles: 'en' })
  assertDone(t, await viewer.remove('/preferences/2'), 200)
  t.strictSame(await read(viewer, '/preferences/2'), none)
})

t.test('an age limit holds for preferences', async t => {
  const app = await buildWith(t, { contents: [film(1, { min_age: 6 }), film(2, { min_age: 18 }), film(3)] })
  const viewer = await viewerOf(app)
  const child = Number(
    String((await viewer.post('/profiles', { name: 'Child', max_age: 6 })).headers.location)
      .split('/')
      .pop()
  )
  const { access_token } = (await viewer.post(`/profiles/${child}/token`, {})).json().data
  const headers = { authorization: `Bearer ${access_token}` }
  const asChild = (method: 'GET' | 'PUT' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url, headers, ...(payload && { payload }) })
  for (const id of [-1, 1, 2]) await app.data.preferences.put(child, id, { audio: 'de' })
  for (const id of [2, 3]) {
    assertNotFound(t, await asChild('GET', `/preferences/${id}`))
    assertNotFound(t, await asChild('PUT', `/preferences/${id}`, { audio: 'en' }))
    assertNotFound(t, await asChild('DELETE', `/preferences/${id}`))
  }
  const { preferences } = (await asChild('GET', '/changes')).json().data
  t.strictSame(preferences.map(({ content_id }: { content_id: number }) => content_id).toSorted(), [1, null])
  assertDone(t, await asChild('PUT', '/preferences', { audio: 'en' }), 200)
  t.strictSame(await read(viewer), none, 'a profile has preferences of its own')
  assertDone(t, await viewer.remove(`/profiles/${child}`), 200)
  t.equal(await databaseOf(app).collection('preferences').countDocuments({ user_id: child }), 0, 'they go with the profile')
})
