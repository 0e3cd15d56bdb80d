import t from 'tap'
import { film, importer, lines, withViewers } from './helper.js'

t.test('replaces', async t => {
  t.test('names ids that may never have existed', async t => {
    const { counts, one } = await importer(t)
    t.strictSame(await counts({ 'contents.ndjson': lines(film(7, { replaces: [5, 6, 5] })) }), { contents: [1, 0, 0] })
    t.strictSame((await one('contents', 7)).replaces, [5, 6])
    t.strictSame(await counts({ 'contents.ndjson': lines(film(7, { replaces: [5, 6] })) }), { contents: [0, 0, 1] }, 'again')
    t.strictSame(await counts({ 'contents.ndjson': lines(film(7)) }), { contents: [0, 1, 0] })
    t.equal((await one('contents', 7)).replaces, null, 'the list of the latest line holds')
  })

  t.test('is refused', async t => {
    const { run, faults, all } = await importer(t)
    await run({ 'contents.ndjson': lines(film(1), film(7, { replaces: [5, 6] }), film(9, { replaces: [7] })) })
    const before = await all('contents')
    const many = (count: number) => Array.from({ length: count }, (_, i) => 1000 + i)
    const ids = 'must be a list of at most 1,000 ids'
    const integer = `must be an integer from 1 to ${2 ** 53 - 2 ** 32}`
    const cases: [string, object[], string[]][] = [
      ['no list', [film(2, { replaces: 3 })], [`1: replaces: ${ids}`]],
      ['null', [film(2, { replaces: null })], [`1: replaces: ${ids}`]],
      ['too many', [film(2, { replaces: many(1001) })], [`1: replaces: ${ids}`]],
      ['negative', [film(2, { replaces: [-3] })], [`1: replaces.0: ${integer}`]],
      ['0', [film(2, { replaces: [3, 0] })], [`1: replaces.1: ${integer}`]],
      ['text', [film(2, { replaces: ['3'] })], [`1: replaces.0: ${integer}`]],
      ['itself', [film(2, { replaces: [3, 2] })], ['1: replaces: must not contain the id of the content itself']],
      ['two lines', [film(2, { replaces: [3] }), film(4, { replaces: [3] })], ['2: replaces: content 3 is already replaced in line 1']],
      ['the database', [film(2, { replaces: [3, 5] })], ['1: replaces: content 5 is already replaced by content 7']],
      ['a kept line', [film(7), film(2, { replaces: [5] })], ['2: replaces: content 5 is already replaced by content 7']],
      ['two', [film(2, { replaces: [3] }), film(3, { replaces: [2] })], ['1: replaces: makes a cycle: 3 > 2 > 3']],
      [
        'three',
        [film(11, { replaces: [13] }), film(12, { replaces: [11] }), film(13, { replaces: [12] })],
        ['1: replaces: makes a cycle: 13 > 11 > 12 > 13']
      ],
      [
        'with the database',
        [film(2), film(1, { replaces: [9] }), film(5, { replaces: [1] })],
        ['2: replaces: makes a cycle: 9 > 1 > 5 > 7 > 9']
      ],
      ['an earlier id', [film(5, { replaces: [9] })], ['1: replaces: makes a cycle: 9 > 5 > 7 > 9']],
      [
        'long',
        Array.from({ length: 300 }, (_, i) => film(100 + i, { replaces: [100 + ((i + 1) % 300)] })),
        [`1: replaces: makes a cycle: ${[101, 100, ...Array.from({ length: 8 }, (_, i) => 399 - i)].join(' > ')} > ... > 101`]
      ]
    ]
    for (const [what, records, expected] of cases)
      t.strictSame(
        await faults({ 'contents.ndjson': lines(...records) }),
        expected.map(fault => `contents.ndjson:${fault}`),
        what
      )
    t.strictSame(await all('contents'), before, 'nothing was written')
    const exactly = lines(film(2, { replaces: many(1000) }))
    t.strictSame(await faults({ 'contents.ndjson': exactly }), [])
  })

  t.test('makes the line of an earlier id change nothing as long as it is replaced', async t => {
    const { counts, one } = await importer(t)
    const names = async () => [(await one('contents', 5)).name, (await one('contents', 7)).name]
    t.strictSame(await counts({ 'contents.ndjson': lines(film(5), film(7, { replaces: [5] })) }), { contents: [2, 0, 0] })
    const other = film(5, { name: 'Other', replaces: [4] })
    t.strictSame(await counts({ 'contents.ndjson': lines(other) }), { contents: [0, 0, 1] })
    t.strictSame(await counts({ 'contents.ndjson': lines(other, film(7, { replaces: [5] })) }), { contents: [0, 0, 2] })
    t.strictSame(await names(), ['Film 5', 'Film 7'])
    t.strictSame(await counts({ 'contents.ndjson': lines(other, film(7)) }), { contents: [0, 2, 0] }, 'and not longer')
    t.strictSame(await names(), ['Other', 'Film 7'])
    t.strictSame((await one('contents', 5)).replaces, [4])
  })

  t.test('may move an id from one content to another, and back', async t => {
    const { counts, run, one } = await importer(t)
    await run({ 'contents.ndjson': lines(film(5), film(7, { replaces: [5] })) })
    t.strictSame(await counts({ 'contents.ndjson': lines(film(5, { replaces: [7] }), film(7)) }), { contents: [0, 2, 0] })
    t.strictSame([(await one('contents', 5)).replaces, (await one('contents', 7)).replaces], [[7], null])
    t.strictSame(await counts({ 'contents.ndjson': lines(film(8, { replaces: [7] }), film(5)) }), { contents: [1, 1, 0] })
    t.strictSame((await one('contents', 8)).replaces, [7])
  })

  t.test('is known of chains in the database', async t => {
    const { counts, db } = await importer(t)
    await counts({ 'contents.ndjson': lines(film(5), film(7, { replaces: [5] }), film(9, { replaces: [7] })) })
    const records = [film(5, { name: 'X' }), film(7, { name: 'X', replaces: [5] }), film(9, { replaces: [7] })]
    t.strictSame(await counts({ 'contents.ndjson': lines(...records) }), { contents: [0, 0, 3] })
    t.strictSame(await counts({ 'contents.ndjson': lines(film(9), film(5, { name: 'Y' })) }), { contents: [0, 1, 1] }, 'only 7 is free')
    await db
      .collection('contents')
      .updateMany({}, [
        { $set: { replaces: { $cond: [{ $eq: ['$_id', 5] }, [9], { $cond: [{ $eq: ['$_id', 9] }, [5], null] }] }, digest: '' } }
      ])
    t.strictSame(await counts({ 'contents.ndjson': lines(film(5), film(9)) }), { contents: [0, 2, 0] }, 'a circle by other software ends')
  })

  t.test('lets what viewers have of earlier ids be imported', async t => {
    const { counts, db } = await withViewers(t)
    const files = {
      'contents.ndjson': lines(film(7, { replaces: [1, 50] })),
      'history.ndjson': lines(
        { user_id: 1, content_id: 50, time: 9, percentage: 95, updated_at: '2024-01-01T00:00:00Z' },
        { user_id: 1, content_id: 1, time: 5, updated_at: '2023-01-01T00:00:00Z' },
        { user_id: 2, content_id: 7, time: 7 }
      ),
      'watchlist.ndjson': lines({ user_id: 1, content_id: 50 }, { user_id: 1, content_id: 2 }),
      'hidden.ndjson': lines({ user_id: 1, content_id: 1 }),
      'ratings.ndjson': lines({ user_id: 1, content_id: 50, rating: 'like' }),
      'preferences.ndjson': lines({ user_id: 1, content_id: 50, audio: 'de' }, { user_id: 1, content_id: null, audio: 'en' })
    }
    t.strictSame(await counts(files), {
      contents: [1, 0, 0],
      history: [2, 0, 1],
      watchlist: [2, 0, 0],
      hidden: [1, 0, 0],
      ratings: [1, 0, 0],
      preferences: [2, 0, 0]
    })
    const { 'contents.ndjson': _, ...lists } = files
    t.strictSame(
      await counts(lists),
      { history: [0, 0, 3], watchlist: [0, 0, 2], hidden: [0, 0, 1], ratings: [0, 0, 1], preferences: [0, 0, 2] },
      'again'
    )
    const ids = async (list: string) =>
      (await db.collection(list).find().sort({ user_id: 1, content_id: 1 }).toArray()).map(e => [e.user_id, e.content_id])
    t.strictSame(await ids('history'), [
      [1, 7],
      [2, 7]
    ])
    t.strictSame(await ids('watchlist'), [
      [1, 2],
      [1, 7]
    ])
    t.strictSame(await ids('hidden'), [[1, 7]])
    t.strictSame(await ids('ratings'), [[1, 7]])
    t.strictSame(await ids('preferences'), [
      [1, -1],
      [1, 7]
    ])
    t.match(await db.collection('history').findOne({ user_id: 1 }), { time: 9, plays: 1 }, 'the newest')
  })
})
