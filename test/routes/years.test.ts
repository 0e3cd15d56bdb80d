import t from 'tap'
import { buildWith, signIn } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, term } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { assertError } from './helper.js'

/** Completes a content at these moments, in this order. */
const complete = async (viewer: Viewer, content_id: number, ...at: string[]) => {
  for (const moment of at) {
    await watch(viewer, content_id, { percentage: 0, observed_at: new Date(Date.parse(moment) - 1).toISOString() })
    await watch(viewer, content_id, { percentage: 100, observed_at: moment })
  }
}

const yearOf = async (viewer: Viewer, year: number | string, query = '') => {
  const answer = await viewer.get(`/me/years/${year}${query}`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().data
}
const monthsIn = ({ by_month }: { by_month: { plays: number }[] }) => by_month.map(({ plays }) => plays)
const none = { plays: 0, minutes: 0 }

t.test('a year', async t => {
  const contents = [
    film(1, { duration: 90, terms: [1, 2] }),
    film(2, { duration: 100, terms: [2, 3, 99] }),
    film(3, { terms: [1] }),
    content(10, { terms: [3] }),
    content(11, { type: 'season', parent_id: 10 }),
    episode(12, 11, { duration: 3600, terms: [4] }),
    episode(13, 11, { duration: 3599 }),
    film(14, { duration: 30, min_age: 16 })
  ]
  const terms = [1, 2, 3, 4].map(id => term(id, { name: `Term ${id}` }))
  const app = await buildWith(t, { contents, terms })
  const viewer = await viewerOf(app)
  await complete(viewer, 1, '2024-02-29T12:00:00Z', '2025-01-01T00:00:00Z', '2025-06-15T12:00:00Z')
  await complete(viewer, 2, '2025-06-15T12:00:00Z')
  await complete(viewer, 3, '2025-03-31T23:59:59.999Z')
  await complete(viewer, 12, '2025-12-31T23:59:59.999Z')
  await complete(viewer, 13, '2025-06-20T00:00:00Z')
  await complete(viewer, 14, '2025-06-21T00:00:00Z')

  t.test('has sums by month, title and term, each rounded once', async t => {
    const { top, ...year } = await yearOf(viewer, 2025)
    t.strictSame(year, {
      year: 2025,
      plays: 7,
      // 90 + 90 + 100 + 0 + 3600 + 3599 + 30 seconds
      minutes: 125,
      titles: 5,
      by_month: [
        { plays: 1, minutes: 1 },
        none,
        { plays: 1, minutes: 0 },
        none,
        none,
        // 90 + 100 + 3599 + 30 seconds
        { plays: 4, minutes: 63 },
        none,
        none,
        none,
        none,
        none,
        { plays: 1, minutes: 60 }
      ],
      // Those of titles alone, without the unknown one. The film has 180 seconds, the other one 100, the show 7199.
      terms: [
        { id: 3, name: 'Term 3', minutes: 121 },
        { id: 2, name: 'Term 2', minutes: 4 },
        { id: 1, name: 'Term 1', minutes: 3 }
      ]
    })
    t.strictSame(
      top.map(({ content, plays, minutes }: { content: { id: number }; plays: number; minutes: number }) => [content.id, plays, minutes]),
      [
        [10, 2, 119],
        [1, 2, 3],
        [2, 1, 1],
        [3, 1, 0],
        [14, 1, 0]
      ]
    )
    t.strictSame(Object.keys(top[0]), ['content', 'plays', 'minutes'])
  })

  t.test('is empty if nothing was played', async t => {
    for (const year of [1970, 2023, 2200])
      t.strictSame(await yearOf(viewer, year), {
        year,
        ...none,
        titles: 0,
        by_month: Array(12).fill(none),
        top: [],
        terms: []
      })
  })

  t.test('has leap days', async t => {
    t.match(await yearOf(viewer, 2024), { plays: 1, by_month: [none, { plays: 1, minutes: 1 }] })
  })

  t.test('begins and ends by the clock of its time zone', async t => {
    const cases: [zone: string, year: number, months: number[]][] = [
      ['UTC', 2025, [1, 0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 1]],
      ['Pacific/Kiritimati', 2025, [1, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0]],
      ['Pacific/Kiritimati', 2026, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
      ['America/New_York', 2025, [0, 0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 1]],
      ['America/New_York', 2024, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
      ['europe/berlin', 2025, [1, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0]]
    ]
    for (const [zone, year, months] of cases) {
      const found = await yearOf(viewer, year, `?timezone=${zone}`)
      t.strictSame(monthsIn(found), months, `${zone} ${year}`)
      t.equal(
        found.plays,
        months.reduce((sum, count) => sum + count)
      )
    }
  })

  t.test('is refused for unknown zones and other years', async t => {
    for (const zone of ['', 'Mars/Olympus', '%2B02:00', '-02:00', '+02:00', 'Europe/Berlin,UTC', 'UTC%20']) {
      const answer = await viewer.get(`/me/years/2025?timezone=${zone}`)
      const message = 'must be the name of an IANA time zone like Europe/Berlin'
      t.strictSame(
        answer.json(),
        { success: false, code: 400, message: `timezone ${message}`, errors: [{ field: 'timezone', message }] },
        zone
      )
    }
    for (const year of ['1969', '2201', '0', '-1', 'now', '2025.5', '20260', '9007199254740993'])
      assertError(t, await viewer.get(`/me/years/${year}`), 404, 404, 'Resource not found', year)
  })

  t.test('leaves out what is above the age limit', async t => {
    const young = await viewerOf(app)
    await complete(young, 14, '2025-06-21T00:00:00Z')
    await complete(young, 1, '2025-06-21T00:00:00Z')
    await change(app, 'contents', 1, { min_age: 6 })
    await app.catalogue.refresh()
    await databaseOf(app)
      .collection<{ _id: number }>('users')
      .updateOne({ _id: young.id }, { $set: { max_age: 6 } })
    const answer = await app.inject({ url: '/me/years/2025', headers: await signIn(app, { _id: young.id }) })
    t.match(answer.json().data, { plays: 1, minutes: 1, titles: 1, top: [{ content: { id: 1 } }] })
  })

  t.test('counts deleted titles, and those that the catalogue lacks', async t => {
    await change(app, 'contents', 2, { deleted_at: new Date() })
    await app.catalogue.refresh()
    const history = databaseOf(app).collection('history')
    await history.updateOne({ user_id: viewer.id, content_id: 3 }, { $set: { content_id: 777 } })
    const { top, ...year } = await yearOf(viewer, 2025)
    t.match(year, { plays: 7, minutes: 125, titles: 5 })
    t.strictSame(
      top.map(({ content }: { content: { id: number } }) => content.id),
      [10, 1, 2, 14]
    )
  })
})

t.test('fractions of seconds add up exactly', async t => {
  // As floating-point numbers, these add up to less than a minute.
  const durations = [15.2, 16.9, 27.9]
  const app = await buildWith(t, { contents: durations.map((duration, i) => film(i + 1, { duration })) })
  const viewer = await viewerOf(app)
  for (const id of [1, 2, 3]) await complete(viewer, id, '2025-05-05T05:05:05Z')
  t.match(await yearOf(viewer, 2025), { plays: 3, minutes: 1 })
})

t.test('sums beyond what JSON can say exactly end there', async t => {
  const app = await buildWith(t, { contents: [film(1, { duration: 1e308 })] })
  const viewer = await viewerOf(app)
  await complete(viewer, 1, '2025-05-05T05:05:05Z', '2025-05-06T05:05:05Z')
  t.match(await yearOf(viewer, 2025), { plays: 2, minutes: Number.MAX_SAFE_INTEGER, top: [{ minutes: Number.MAX_SAFE_INTEGER }] })
})

t.test('at most ten titles and terms are named', async t => {
  const ids = Array.from({ length: 12 }, (_, i) => i + 1)
  const contents = ids.map(id => film(id, { duration: id < 4 ? 600 : 60 * id, terms: [id] }))
  const app = await buildWith(t, { contents, terms: ids.map(id => term(id)) })
  const viewer = await viewerOf(app)
  for (const id of ids) await complete(viewer, id, '2025-05-05T05:05:05Z')
  await complete(viewer, 3, '2025-05-06T05:05:05Z')
  await change(app, 'contents', 3, { duration: 300 })
  await app.catalogue.refresh()
  const { top, terms, titles } = await yearOf(viewer, 2025)
  t.equal(titles, 12)
  t.strictSame(
    top.map(({ content, minutes, plays }: { content: { id: number }; minutes: number; plays: number }) => [content.id, minutes, plays]),
    [
      [12, 12, 1],
      [11, 11, 1],
      [3, 10, 2],
      [1, 10, 1],
      [2, 10, 1],
      [10, 10, 1],
      [9, 9, 1],
      [8, 8, 1],
      [7, 7, 1],
      [6, 6, 1]
    ]
  )
  t.strictSame(
    terms.map(({ id }: { id: number }) => id),
    [12, 11, 1, 2, 3, 10, 9, 8, 7, 6]
  )
})

t.test('a clock that goes back over the end of a month', async t => {
  // In 2009, the clocks of St. John's went from 00:01 on 1 November back to 23:01 on 31 October.
  const app = await buildWith(t, { contents: [film(1)] })
  const viewer = await viewerOf(app)
  await complete(viewer, 1, '2009-11-01T02:30:30Z', '2009-11-01T02:31:30Z', '2009-11-01T03:29:00Z', '2009-11-01T03:30:00Z')
  const months = monthsIn(await yearOf(viewer, 2009, '?timezone=America/St_Johns'))
  t.strictSame(months, [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0])
})
