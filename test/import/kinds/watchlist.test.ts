import t from 'tap'
import { lines, withViewers } from '../helper.js'

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
