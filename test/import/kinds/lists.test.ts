import t from 'tap'
import { film, importer, lines, user, withViewers } from '../helper.js'

t.test('watchlist', async t => {
  const { counts, all, faults } = await withViewers(t)
  const elements = async () =>
    (await all('watchlist')).map(({ _id, user_id, content_id, created_at }) => [_id, user_id, content_id, created_at.getUTCFullYear()])
  const of = (...records: object[]) => ({ 'watchlist.ndjson': lines(...records.map(record => ({ user_id: 1, content_id: 1, ...record }))) })

  t.test('of a pair that comes twice the newest is taken, across batches too', async t => {
    const filler = Array.from({ length: 1500 }, () => ({ user_id: 2, content_id: 2, created_at: '2001-01-01T00:00:00Z' }))
    const texts = of(
      { created_at: '2023-01-01T00:00:00Z' },
      ...filler,
      { created_at: '2025-01-01T00:00:00Z' },
      { created_at: '2024-01-01T00:00:00Z' }
    )
    t.strictSame(await counts(texts), { watchlist: [2, 0, 1501] })
    t.strictSame(await elements(), [
      [1, 2, 2, 2001],
      [2, 1, 1, 2025]
    ])
  })
  t.test('an element that is there stays as it is', async t => {
    t.strictSame(
      await counts(of({ id: 50, created_at: '2026-01-01T00:00:00Z' }, { content_id: 3, id: 60, created_at: '2026-01-01T00:00:00Z' })),
      {
        watchlist: [1, 0, 1]
      }
    )
    t.strictSame(await elements(), [
      [1, 2, 2, 2001],
      [2, 1, 1, 2025],
      [60, 1, 3, 2026]
    ])
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
    t.strictSame(await counts(file), { ratings: [4, 1, 3] })
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
  t.strictSame(await counts(file), { preferences: [2, 1, 3] })
  const expected = [
    [-1, 'de', null, 2023],
    [3, null, 'pt-BR', 2022]
  ]
  t.strictSame(await stored(), expected)
  t.strictSame(await counts(file), { preferences: [0, 0, 6] })
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
