import type { Document } from 'mongodb'
import t from 'tap'
import { film, importer, lines, user, withViewers } from '../helper.js'

t.test('history', async t => {
  const { counts, all, faults, db, run } = await withViewers(t)
  const _id = '0123456789abcdef01234567'
  const seen = async (content: number) => db.collection('history').findOne({ user_id: 1, content_id: content })
  const of = (...records: object[]) => ({ 'history.ndjson': lines(...records.map(record => ({ user_id: 1, content_id: 1, ...record }))) })

  t.test('keeps the id and the times that are given', async t => {
    const given = { _id, time: 12.5, percentage: 30, created_at: '2024-01-01T00:00:00Z', updated_at: '2024-02-01T00:00:00Z' }
    t.strictSame(await counts(of(given)), { history: [1, 0, 0] })
    const [element] = await all('history')
    t.hasStrict(element, { time: 12.5, percentage: 30, created_at: new Date('2024-01-01'), updated_at: new Date('2024-02-01') })
    t.equal(String(element?._id), _id)
  })
  t.test('an older line changes nothing, an equal or newer one does', async t => {
    t.strictSame(await counts(of({ time: 1, updated_at: '2024-01-31T00:00:00Z' })), { history: [0, 0, 1] })
    t.match(await seen(1), { time: 12.5, percentage: 30 })
    t.strictSame(await counts(of({ time: 2, updated_at: '2024-02-01T00:00:00Z' })), { history: [0, 1, 0] })
    t.strictSame(await counts(of({ time: 3, percentage: 4, updated_at: '2024-02-02T00:00:00Z', _id: 'f'.repeat(24) })), {
      history: [0, 1, 0]
    })
    const element = await seen(1)
    t.hasStrict(element, { time: 3, percentage: 4, created_at: new Date('2024-01-01'), updated_at: new Date('2024-02-02') })
    t.equal(String(element?._id), _id, 'the id stays')
  })
  t.test('of several lines the newest counts, in any order', async t => {
    const newest = { content_id: 2, time: 3, updated_at: '2024-03-03T00:00:00Z' }
    const older = { content_id: 2, time: 2, plays: 4, created_at: '2020-01-01T00:00:00Z', updated_at: '2024-03-02T00:00:00Z' }
    const oldest = { ...older, time: 1, updated_at: '2024-03-01T00:00:00Z' }
    for (const given of [
      [newest, older, oldest],
      [oldest, older, newest],
      [older, newest, oldest]
    ]) {
      await db.collection('history').deleteMany({ user_id: 1, content_id: 2 })
      t.strictSame(await counts(of(...given)), { history: [1, 0, 2] })
      const { time, plays, created_at } = (await seen(2)) as Document
      t.strictSame([time, plays, created_at], [3, undefined, new Date('2024-03-03')])
    }
    await db.collection('history').deleteMany({ user_id: 1, content_id: 2 })
  })
  t.test('a line that only has a time gets the percentage of a report', async t => {
    const credits = [{ type: 'credits', start: 900, end: null }]
    await counts({
      'contents.ndjson': lines(
        film(4),
        film(5, { duration: 1000 }),
        film(6, { duration: 1000, markers: credits }),
        film(7, { markers: credits })
      )
    })
    const percentageOf = async (content_id: number, line: object) => {
      await counts(of({ content_id, ...line }))
      const { percentage, plays = 0 } = (await seen(content_id)) as Document
      return [percentage, plays]
    }
    t.strictSame(await percentageOf(5, { time: 250 }), [25, 0])
    t.strictSame(await percentageOf(5, { time: 4000 }), [100, 0], 'what is there keeps its plays')
    t.strictSame(await percentageOf(5, { time: 250, percentage: 7 }), [7, 0], 'one that is given stays')
    t.strictSame(await percentageOf(6, { time: 899 }), [89.9, 0])
    t.strictSame(await percentageOf(7, { time: 950 }), [90, 1], 'at the credits it is completed')
    t.strictSame(await percentageOf(4, { time: 250 }), [0, 0], 'without a duration it is 0')
    await db.collection<{ _id: number }>('contents').updateOne({ _id: 4 }, { $set: { duration: 'x', markers: {} } })
    t.strictSame(await percentageOf(4, { time: 251 }), [0, 0], 'and so it is where other software has written a wrong one')
    t.strictSame(await counts(of({ content_id: 5, time: 250, percentage: 7 })), { history: [0, 0, 1] })
  })
  t.test('is not written over a report that comes meanwhile', async t => {
    const before = { content_id: 88, time: 1, updated_at: '2024-01-01T00:00:00Z' }
    await counts({ 'contents.ndjson': lines(film(88)), ...of(before) })
    const now = new Date()
    const report = () => db.collection('history').updateOne({ user_id: 1, content_id: 88 }, { $set: { time: 99, updated_at: now } })
    const newer = Array.from({ length: 1001 }, (_, i) => ({ ...before, time: i, updated_at: '2024-02-01T00:00:00Z' }))
    let reported: Promise<unknown> | undefined
    const onProgress = ({ step }: { step: string }) => {
      if (step === 'write') reported ??= report()
    }
    await run(of(...newer), { onProgress })
    await reported
    t.match(await seen(88), { time: 99, updated_at: now })
  })
  t.test('of a pair that comes twice the newest counts, whatever the order', async t => {
    const [old, recent] = [
      { content_id: 2, time: 1, updated_at: '2024-01-01T00:00:00Z' },
      { content_id: 2, time: 2, updated_at: '2024-03-01T00:00:00Z' }
    ]
    await counts(of(recent, old))
    const march = new Date('2024-03-01')
    t.hasStrict(await seen(2), { time: 2, created_at: march, updated_at: march }, 'the older line changes nothing')
  })
  for (const [moment, last, updated_at] of [
    ['the same moment', 8, '2024-04-01T00:00:00Z'],
    ['moments to come', 9, '2999-01-01T00:00:00Z'],
    ['no moment', 10, undefined]
  ] as const) {
    t.test(`of a pair that comes twice with ${moment} the last counts, across batches too, and a second run changes nothing`, async t => {
      const line = (time: number) => ({ content_id: 2, time, updated_at })
      const older = Array.from({ length: 1500 }, () => ({ content_id: 2, time: 5, updated_at: '2024-02-01T00:00:00Z' }))
      const twice = of(...older, line(6), line(7), ...older, line(last), ...older)
      t.strictSame(await counts(twice), { history: [0, 1, 4502] })
      t.match(await seen(2), { time: last })
      t.strictSame(await counts(twice), { history: [0, 0, 4503] })
    })
  }
  t.test('a time in the future, or none, counts as now', async t => {
    const began = new Date()
    const ahead = '2999-01-01T00:00:00Z'
    const future = of({ content_id: 3, time: 7, created_at: ahead, updated_at: ahead })
    t.strictSame(await counts(future), { history: [1, 0, 0] })
    const element = await seen(3)
    t.ok(element?.updated_at >= began && element?.updated_at <= new Date())
    t.strictSame(element?.created_at, element?.updated_at)
    t.match(element, { time: 7, percentage: 0 })
    t.strictSame(await counts(future), { history: [0, 0, 1] })
    t.strictSame(await counts(of({ content_id: 3, time: 7 })), { history: [0, 0, 1] })
    t.strictSame(await counts(of({ content_id: 3, time: 8 })), { history: [0, 1, 0] })
  })
  t.test('completions', async t => {
    const march = '2024-03-01T00:00:00Z'
    const [january, april] = ['2024-01-01T00:00:00Z', '2024-04-01T00:00:00Z']
    const completed = (plays: number | undefined, watched_at: string | undefined) => ({
      plays,
      watched_at: watched_at && new Date(watched_at)
    })
    /** Each line is imported twice. It finds the stored element, if there is one. */
    const cases: [what: string, stored: object | undefined, line: object, expected: object][] = [
      ['of a new element', undefined, { percentage: 95, plays: 3, watched_at: january }, completed(3, january)],
      ['none of it', undefined, { percentage: 20, plays: 0 }, completed(0, undefined)],
      ['none, though it is at the end', undefined, { percentage: 100, plays: 0 }, completed(0, undefined)],
      ['none, whatever the date', undefined, { plays: 0, watched_at: january }, completed(0, undefined)],
      ['a count alone', undefined, { percentage: 5, plays: 2 }, completed(2, march)],
      ['a count without any moment', undefined, { percentage: 5, plays: 2, updated_at: undefined }, { plays: 2 }],
      ['a count and a date of null', undefined, { plays: 2, watched_at: null }, completed(2, march)],
      ['a date alone', undefined, { percentage: 5, watched_at: january }, completed(1, january)],
      ['a date to come', undefined, { percentage: 5, watched_at: '2999-01-01T00:00:00Z' }, completed(1, march)],
      [
        'a date to come of one that is there',
        { plays: 5, watched_at: new Date(january) },
        { watched_at: '2999-01-01T00:00:00Z' },
        completed(5, january)
      ],
      ['nothing said', undefined, { percentage: 5 }, completed(undefined, undefined)],
      ['nothing said at the end', undefined, { percentage: 95 }, completed(1, march)],
      ['another count', { plays: 5, watched_at: new Date(january) }, { plays: 2, watched_at: april }, completed(2, april)],
      ['the same', { plays: 2, watched_at: new Date(january) }, { plays: 2, watched_at: january }, completed(2, january)],
      ['another count without a date', { plays: 5, watched_at: new Date(january) }, { plays: 7 }, completed(7, january)],
      ['the same count without a date', { plays: 5, watched_at: new Date(january) }, { plays: 5 }, completed(5, january)],
      ['a first count without a date', { plays: 0 }, { plays: 7 }, completed(7, march)],
      ['another date without a count', { plays: 5, watched_at: new Date(january) }, { watched_at: april }, completed(5, april)],
      ['a first date without a count', { plays: 0 }, { watched_at: april }, completed(1, april)],
      ['taken away', { plays: 5, watched_at: new Date(january) }, { plays: 0 }, completed(0, undefined)],
      ['nothing said of one that is there', { plays: 5, watched_at: new Date(january) }, { percentage: 95 }, completed(5, january)],
      ['nor of one without a count', { percentage: 95 }, { percentage: 5 }, completed(undefined, undefined)],
      ['nor of one that was not completed', { percentage: 20 }, { percentage: 95 }, completed(undefined, undefined)],
      [
        'an older line',
        { plays: 5, watched_at: new Date(january), updated_at: new Date(april) },
        { plays: 1, watched_at: march },
        completed(5, january)
      ]
    ]
    for (const [what, stored, line, expected] of cases) {
      await db.collection('history').deleteMany({ user_id: 1, content_id: 3 })
      const february = new Date('2024-02-01')
      const element = { user_id: 1, content_id: 3, time: 0, percentage: 0, created_at: february, updated_at: february }
      if (stored) await db.collection('history').insertOne({ ...element, ...stored })
      const given = of({ content_id: 3, time: 0, percentage: 0, updated_at: march, ...line })
      await counts(given)
      const first = await seen(3)
      t.match({ plays: first?.plays, watched_at: first?.watched_at }, expected, what)
      t.strictSame([await counts(given), await seen(3)], [{ history: [0, 0, 1] }, first], `${what}, imported again`)
    }
    const wrong = of(
      ...['1', -1, 1.5, null, true].map(plays => ({ plays })),
      ...[5, 'x', '2024-01-01', true].map(watched_at => ({ watched_at }))
    )
    const found = await faults(wrong)
    t.strictSame(
      found.map(line => /^history.ndjson:(\d): (\w+): \w/.exec(line)?.slice(1)),
      Array.from({ length: 9 }, (_, i) => [String(i + 1), i < 5 ? 'plays' : 'watched_at'])
    )
  })
  t.test('moments of plays', async t => {
    const march = '2024-03-01T00:00:00Z'
    const [january, february, april] = ['2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z', '2024-04-01T00:00:00Z']
    const played = (...at: string[]) => ({ played: { at: at.map(moment => new Date(moment)) }, played_count: at.length })
    const none = { played: undefined, played_count: undefined }
    /** Each line is imported twice. It finds the stored element, if there is one. */
    const cases: [what: string, stored: object | undefined, line: object, expected: object][] = [
      [
        'in any order',
        undefined,
        { played_at: [february, march, january, february] },
        { plays: 4, watched_at: march, ...played(march, february, february, january) }
      ],
      [
        'beside a number and a date',
        undefined,
        { plays: 9, watched_at: april, played_at: [january] },
        { plays: 9, watched_at: april, ...played(january) }
      ],
      [
        'beside a number',
        undefined,
        { plays: 1, played_at: [january, february] },
        { plays: 1, watched_at: february, ...played(february, january) }
      ],
      [
        'beside a date',
        undefined,
        { watched_at: april, played_at: [january, february] },
        { plays: 2, watched_at: april, ...played(february, january) }
      ],
      [
        'of an element that was taken back',
        undefined,
        { plays: 0, watched_at: null, played_at: [january] },
        { plays: 0, watched_at: undefined, ...played(january) }
      ],
      ['none', undefined, { plays: 2, watched_at: january, played_at: [] }, { plays: 2, watched_at: january, ...none }],
      ['none at the end', undefined, { percentage: 100, played_at: [] }, { plays: 1, watched_at: march, ...none }],
      ['none without plays', undefined, { played_at: [] }, { plays: undefined, ...none }],
      ['absent', undefined, { plays: 3, watched_at: january }, { plays: 3, ...played(january) }],
      ['absent with a date alone', undefined, { watched_at: january }, { plays: 1, ...played(january) }],
      ['absent at the end', undefined, { percentage: 95 }, { plays: 1, ...played(march) }],
      ['absent without plays', undefined, { plays: 0, watched_at: january }, { plays: 0, ...none }],
      [
        'replaced by a newer line',
        { plays: 2, ...played(february, january) },
        { plays: 3, watched_at: march },
        { plays: 3, ...played(march) }
      ],
      [
        'or by its own',
        { plays: 2, ...played(february, january) },
        { played_at: [april] },
        { plays: 1, watched_at: new Date(april), ...played(april) }
      ],
      [
        'or by none',
        { plays: 2, watched_at: new Date(january), ...played(february) },
        { played_at: [] },
        { plays: 2, watched_at: new Date(january), ...none }
      ],
      [
        'or not mentioned',
        { plays: 2, ...played(february, january) },
        { percentage: 50 },
        { plays: 2, percentage: 50, ...played(february, january) }
      ],
      [
        'of an equal line',
        { updated_at: new Date(march), plays: 2, ...played(february) },
        { plays: 2, watched_at: january, played_at: [april] },
        played(february)
      ],
      [
        'of an equal line without plays',
        { updated_at: new Date(march), plays: 1, watched_at: new Date(february), ...played(february) },
        { percentage: 50, played_at: [april, january] },
        { plays: 1, percentage: 50, watched_at: new Date(february), ...played(february) }
      ],
      [
        'of an older line',
        { updated_at: new Date(april), plays: 2, ...played(february) },
        { plays: 1, played_at: [january] },
        { plays: 2, ...played(february) }
      ]
    ]
    for (const [what, stored, line, expected] of cases) {
      await db.collection('history').deleteMany({ user_id: 1, content_id: 3 })
      const element = { user_id: 1, content_id: 3, time: 0, percentage: 0, created_at: new Date(january), updated_at: new Date(january) }
      if (stored) await db.collection('history').insertOne({ ...element, ...stored })
      const given = of({ content_id: 3, time: 0, percentage: 0, updated_at: march, ...line })
      await counts(given)
      const first = await seen(3)
      const dates = 'watched_at' in expected && typeof expected.watched_at === 'string' ? { watched_at: new Date(expected.watched_at) } : {}
      t.match({ played: undefined, played_count: undefined, ...first }, { ...expected, ...dates }, what)
      t.strictSame([await counts(given), await seen(3)], [{ history: [0, 0, 1] }, first], `${what}, imported again`)
    }
    const many = (count: number) => Array.from({ length: count }, (_, i) => new Date(Date.UTC(2023, 0, i + 1)).toISOString())
    await counts(of({ content_id: 3, updated_at: '2024-05-01T00:00:00Z', played_at: many(366) }))
    t.match(await seen(3), { plays: 366, played_count: 366 })
    const wrong = of(...[many(367), ['x'], [5], null, [january, '2999-01-01T00:00:00Z']].map(played_at => ({ content_id: 3, played_at })))
    t.strictSame(await faults(wrong), [
      'history.ndjson:1: played_at: must be a list of at most 366 values',
      'history.ndjson:2: played_at.0: must be an RFC 3339 timestamp',
      'history.ndjson:3: played_at.0: must be an RFC 3339 timestamp',
      'history.ndjson:4: played_at: must be a list of at most 366 values',
      'history.ndjson:5: played_at: must not be in the future'
    ])
  })
  t.test('the position before a brief start goes with the position', async t => {
    const observed_at = '2024-01-01T00:00:00Z'
    const previous = { time: 3000, percentage: 50, observed_at }
    const stored = async () => {
      const { previous_time, previous_percentage, previous_observed_at } = (await seen(3)) as Document
      return [previous_time, previous_percentage, previous_observed_at]
    }
    const line = (day: number, more: object = {}) => of({ content_id: 3, time: 5, updated_at: `2025-01-0${day}T00:00:00Z`, ...more })
    await counts(line(1, { previous }))
    t.strictSame(await stored(), [3000, 50, new Date(observed_at)])
    t.strictSame(await counts(line(1, { previous })), { history: [0, 0, 1] })
    t.strictSame(await counts(line(1, { previous: { ...previous, time: 2000 } })), { history: [0, 1, 0] })
    await db.collection('history').updateOne({ content_id: 3 }, { $set: { updated_at: new Date('2025-01-02T00:00:00Z') } })
    t.strictSame(await counts(line(1)), { history: [0, 0, 1] }, 'an older line changes nothing')
    t.strictSame(await counts(line(2, { previous: null })), { history: [0, 1, 0] })
    t.strictSame(await stored(), [undefined, undefined, undefined])
    t.strictSame(await counts(line(2)), { history: [0, 0, 1] })
    const found = await faults(
      of(
        ...[5, {}, { ...previous, time: -1 }, { ...previous, percentage: 101 }, { time: 1, percentage: 1 }].map(wrong => ({
          previous: wrong
        }))
      )
    )
    t.equal(found.length, 7, String(found))
  })
  t.test('refuses ids of other elements, and users and contents that are not there', async t => {
    const other = 'a'.repeat(24)
    const wrong = of({ content_id: 2, _id }, { _id: other }, { _id: other }, { content_id: 3, _id: other }, { user_id: 9, content_id: 8 })
    t.strictSame(await faults(wrong), [
      'history.ndjson:5: user_id: there is no user 9',
      'history.ndjson:5: content_id: there is no content 8',
      'history.ndjson:1: _id: belongs to another element',
      'history.ndjson:4: _id: belongs to another element'
    ])
  })
})

t.test('watchlist', async t => {
  const { counts, all, faults } = await withViewers(t)
  const elements = async () =>
    (await all('watchlist')).map(({ _id, user_id, content_id, created_at }) => [_id, user_id, content_id, created_at.getUTCFullYear()])
  const of = (...records: object[]) => ({ 'watchlist.ndjson': lines(...records.map(record => ({ user_id: 1, content_id: 1, ...record }))) })

  /** A batch that is prepared while the one before it is written may take an id in vain. */
  const withoutIds = async () => (await elements()).map(([, ...element]) => element)

  t.test('of a pair that comes twice the newest is taken, across batches too', async t => {
    const filler = Array.from({ length: 1500 }, () => ({ user_id: 2, content_id: 2, created_at: '2001-01-01T00:00:00Z' }))
    const texts = of(
      { created_at: '2023-01-01T00:00:00Z' },
      ...filler,
      { created_at: '2025-01-01T00:00:00Z' },
      { created_at: '2024-01-01T00:00:00Z' }
    )
    t.strictSame(await counts(texts), { watchlist: [2, 0, 1501] })
    t.strictSame(await withoutIds(), [
      [2, 2, 2001],
      [1, 1, 2025]
    ])
  })
  t.test('an element that is there stays as it is', async t => {
    t.strictSame(
      await counts(of({ id: 50, created_at: '2026-01-01T00:00:00Z' }, { content_id: 3, id: 60, created_at: '2026-01-01T00:00:00Z' })),
      {
        watchlist: [1, 0, 1]
      }
    )
    t.strictSame(await withoutIds(), [
      [2, 2, 2001],
      [1, 1, 2025],
      [1, 3, 2026]
    ])
    t.equal((await elements())[2]?.[0], 60)
  })
  t.test('new ids come after those that were given', async t => {
    await counts(of({ content_id: 2, created_at: '2022-01-01T00:00:00Z' }))
    t.strictSame((await elements())[3], [61, 1, 2, 2022])
  })
  t.test('a time in the future counts as now, and a second run changes nothing', async t => {
    const began = new Date()
    const [ahead, later] = ['2998-01-01T00:00:00Z', '2999-01-01T00:00:00Z']
    const texts = of({ user_id: 2, content_id: 3, created_at: ahead, updated_at: ahead }, { user_id: 2, content_id: 3, created_at: later })
    t.strictSame(await counts(texts), { watchlist: [1, 0, 1] })
    const element = (await all('watchlist')).at(-1)
    for (const moment of [element?.created_at, element?.updated_at]) t.ok(moment >= began && moment <= new Date())
    t.strictSame(await counts(texts), { watchlist: [0, 0, 2] })
    t.strictSame((await all('watchlist')).at(-1), element)
  })
  t.test('refuses ids of other elements, and users and contents that are not there', async t => {
    const wrong = of({ content_id: 2, id: 60 }, { id: 90 }, { content_id: 2, id: 90 }, { user_id: 9, content_id: 8 })
    t.strictSame(await faults(wrong), [
      'watchlist.ndjson:4: user_id: there is no user 9',
      'watchlist.ndjson:4: content_id: there is no content 8',
      'watchlist.ndjson:1: id: belongs to another element',
      'watchlist.ndjson:3: id: belongs to another element'
    ])
  })
})

const at = (year: number) => `${year}-01-01T00:00:00Z`

t.test('ratings', async t => {
  const { counts, all, faults } = await importer(t)
  const ratings = async () =>
    (await all('ratings'))
      .map(({ user_id, content_id, rating, created_at }) => [user_id, content_id, rating, created_at.getUTCFullYear()])
      .sort()
  const of = (...records: object[]) => ({ 'ratings.ndjson': lines(...records.map(record => ({ user_id: 1, rating: 'like', ...record }))) })
  await counts({ 'users.ndjson': lines(user(1)), 'contents.ndjson': lines(film(1), film(2, { parent_id: 3 }), film(3), film(4), film(5)) })
  const file = of(
    { content_id: 1, created_at: at(2021) },
    { content_id: 1, created_at: at(2023), rating: 'dislike' },
    { content_id: 1, created_at: at(2022) },
    { content_id: 2, created_at: at(2022) },
    { content_id: 3, created_at: at(2020), rating: 'dislike' },
    { content_id: 4 },
    { content_id: 4, rating: 'dislike' },
    { content_id: 5, created_at: at(2999) }
  )
  const thisYear = new Date().getUTCFullYear()
  const stored = [
    [1, 1, 'dislike', 2023],
    [1, 3, 'like', 2022],
    [1, 4, 'like', thisYear],
    [1, 5, 'like', thisYear]
  ]

  t.test('of a title the newest counts, whatever the order, and a second run changes nothing', async t => {
    t.strictSame(await counts(file), { ratings: [4, 0, 4] })
    t.strictSame(await ratings(), stored)
    const before = await all('ratings')
    t.strictSame(await counts(file), { ratings: [0, 0, 8] })
    t.strictSame(await all('ratings'), before)
    t.strictSame(Object.keys(before[0] ?? {}).sort(), ['_id', 'arrived_at', 'content_id', 'created_at', 'rating', 'user_id'])
  })
  t.test('a line without a time, with one in the future or an older one changes no rating that is there', async t => {
    const lines = [{}, { created_at: at(2999) }, { created_at: at(2023) }].map(time => ({ content_id: 1, ...time }))
    t.strictSame(await counts(of(...lines)), { ratings: [0, 0, 3] })
    t.strictSame(await counts(of({ content_id: 2, created_at: at(2024), rating: 'dislike' })), { ratings: [0, 1, 0] })
    t.strictSame((await ratings())[1], [1, 3, 'dislike', 2024])
  })
  t.test('refuses users and contents that are not there', async t => {
    t.strictSame(await faults(of({ user_id: 9, content_id: 8 })), [
      'ratings.ndjson:1: user_id: there is no user 9',
      'ratings.ndjson:1: content_id: there is no content 8'
    ])
  })
})

t.test('preferences', async t => {
  const { counts, all, faults } = await importer(t)
  const stored = async () =>
    (await all('preferences'))
      .map(({ content_id, audio, subtitles, updated_at }) => [content_id, audio, subtitles, updated_at.getUTCFullYear()])
      .sort()
  const of = (...records: object[]) => ({ 'preferences.ndjson': lines(...records.map(record => ({ user_id: 1, ...record }))) })
  await counts({ 'users.ndjson': lines(user(1)), 'contents.ndjson': lines(film(1), film(2, { parent_id: 3 }), film(3)) })
  const file = of(
    { content_id: null, audio: 'de', updated_at: at(2023) },
    { content_id: null, audio: 'en', updated_at: at(2022) },
    { content_id: 2, subtitles: 'off', updated_at: at(2021) },
    { content_id: 3, subtitles: 'pt-BR', audio: null, updated_at: at(2022) },
    { content_id: 1, audio: null, subtitles: null },
    { content_id: 1 }
  )
  t.strictSame(await counts(file), { preferences: [2, 0, 4] })
  const expected = [
    [-1, 'de', null, 2023],
    [3, null, 'pt-BR', 2022]
  ]
  t.strictSame(await stored(), expected)
  t.strictSame(await counts(file), { preferences: [0, 0, 6] })
  t.strictSame(await counts(of({ content_id: 1 })), { preferences: [0, 0, 1] }, 'a file that says nothing')
  t.strictSame(await stored(), expected)
  t.strictSame(await faults(of({ user_id: 9, content_id: null, audio: 'de' }, { content_id: 8, audio: 'de' })), [
    'preferences.ndjson:1: user_id: there is no user 9',
    'preferences.ndjson:2: content_id: there is no content 8'
  ])
})

t.test('hidden', async t => {
  const { counts, all, faults, db } = await importer(t)
  const titles = async () =>
    (await all('hidden')).map(({ user_id, content_id, created_at }) => [user_id, content_id, created_at.getUTCFullYear()]).sort()
  const of = (...records: object[]) => ({ 'hidden.ndjson': lines(...records.map(record => ({ user_id: 1, ...record }))) })
  const catalogue = {
    'users.ndjson': lines(user(1), user(2)),
    'contents.ndjson': lines(
      film(1),
      film(2, { parent_id: 3 }),
      film(3, { parent_id: 4 }),
      film(4),
      film(5, { deleted_at: at(2024) }),
      // Deeper than any catalogue.
      ...Array.from({ length: 12 }, (_, i) => film(20 + i, i > 0 ? { parent_id: 19 + i } : {}))
    )
  }
  const file = of(
    { content_id: 1, created_at: at(2021) },
    { content_id: 2, created_at: at(2022) },
    { content_id: 4, created_at: at(2020) },
    { content_id: 3, user_id: 2, created_at: at(2023) },
    { content_id: 5 },
    { content_id: 28, created_at: at(2022) }
  )
  const thisYear = new Date().getUTCFullYear()
  const stored = [
    [1, 1, 2021],
    [1, 20, 2022],
    [1, 4, 2022],
    [1, 5, thisYear],
    [2, 4, 2023]
  ]

  t.test('episodes and seasons stand for their show, of which the first line counts', async t => {
    t.match(await counts({ ...catalogue, ...file }), { hidden: [5, 0, 1] })
    t.strictSame(await titles(), stored)
    t.strictSame(Object.keys((await all('hidden'))[0] ?? {}).sort(), ['_id', 'arrived_at', 'content_id', 'created_at', 'user_id'])
  })
  t.test('a second run changes nothing', async t => {
    t.strictSame(await counts(file), { hidden: [0, 0, 6] })
    t.strictSame(await counts(of({ content_id: 3, created_at: at(2001) })), { hidden: [0, 0, 1] })
    t.strictSame(await titles(), stored)
  })
  t.test('whose parent is missing is a title of its own', async t => {
    await db.collection<{ _id: number; parent_id: number | null }>('contents').insertOne({ _id: 60, parent_id: 999 })
    t.strictSame(await counts(of({ content_id: 60, user_id: 2 })), { hidden: [1, 0, 0] })
    t.strictSame((await titles()).at(-1)?.slice(0, 2), [2, 60])
  })
  t.test('a time in the future counts as now, and a second run changes nothing', async t => {
    const began = new Date()
    const ahead = of({ user_id: 2, content_id: 5, created_at: at(2999) })
    t.strictSame(await counts(ahead), { hidden: [1, 0, 0] })
    const created_at = (await all('hidden')).at(-1)?.created_at
    t.ok(created_at >= began && created_at <= new Date())
    t.strictSame(await counts(ahead), { hidden: [0, 0, 1] })
    await db.collection('hidden').deleteOne({ user_id: 2, content_id: 5 })
  })
  t.test('as many lines as there are, across batches', async t => {
    const many = Array.from({ length: 2500 }, (_, i) => ({ user_id: 2, content_id: 1 + (i % 4), created_at: at(2010 + (i % 7)) }))
    t.strictSame(await counts(of(...many)), { hidden: [1, 0, 2499] })
  })
  t.test('refuses users and contents that are not there, and fields that it does not have', async t => {
    t.strictSame(
      await faults(of({ user_id: 9, content_id: 8 }, { content_id: 0 }, { content_id: 1, created_at: 'x' }, { content_id: 1, id: 5 }, {})),
      [
        'hidden.ndjson:2: content_id: must be an integer from 1 to 9007194959773696',
        'hidden.ndjson:3: created_at: must be an RFC 3339 timestamp',
        'hidden.ndjson:4: id: is not a field of hidden',
        'hidden.ndjson:5: content_id: is required',
        'hidden.ndjson:1: user_id: there is no user 9',
        'hidden.ndjson:1: content_id: there is no content 8'
      ]
    )
    t.equal((await all('hidden')).length, 7)
  })
})
