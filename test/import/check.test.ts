import t from 'tap'
import { everything, film, importer, lines, term, user, withViewers } from './helper.js'

t.test('a check leaves nothing behind', async t => {
  const { db, run } = await importer(t)
  const { kinds } = await run(everything, { check: true, prune: true })
  t.match(kinds, {
    users: { added: 2, changed: 0, unchanged: 0 },
    contents: { added: 3, changed: 0, unchanged: 0, pruned: 0 },
    watchlist: { added: 2 }
  })
  t.strictSame(await db.listCollections().toArray(), [])
  const { databases } = await db.admin().listDatabases({ nameOnly: true })
  t.notOk(databases.some(({ name }) => name === db.databaseName))

  await run(everything)
  const stored = async () => {
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort()
    return Promise.all(names.map(async name => [name, await db.collection(name).find().sort({ _id: 1 }).toArray()]))
  }
  const before = await stored()
  const changed = { 'users.ndjson': lines(user(1, { name: 'Another' }), user(9)), 'terms.ndjson': lines(term(9)) }
  const { kinds: counted } = await run(changed, { check: true, prune: true })
  t.strictSame(counted, {
    users: { added: 1, changed: 1, unchanged: 0 },
    terms: { added: 1, changed: 0, unchanged: 0, pruned: 2 }
  })
  t.strictSame(await stored(), before)
})

t.test('a check that is interrupted says so', async t => {
  const { run } = await importer(t)
  t.strictSame(await run(everything, { check: true, signal: AbortSignal.abort() }), { kinds: {}, warnings: [], interrupted: true })
})

// The helper compares each import with the check before it.
t.test('a check foresees what comes of lines of earlier batches', async t => {
  const { counts } = await withViewers(t)
  const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString()
  const batches = <T>(line: (n: number) => T) => Array.from({ length: 3500 }, (_, n) => line(n))
  const pair = (n: number) => ({ user_id: 1 + (n % 2), content_id: 1 + (n % 3) })
  /** In waves, so that a later line may be the older one. */
  const moment = (n: number) => day((n * 7) % 365)

  await counts({ 'history.ndjson': lines(...batches(n => ({ ...pair(n), time: n, plays: n % 5, updated_at: moment(n) }))) })
  await counts({ 'history.ndjson': lines(...batches(n => ({ ...pair(n), time: n % 4 }))) })
  await counts({ 'watchlist.ndjson': lines(...batches(n => ({ ...pair(n), created_at: day(n % 2) }))) })
  await counts({ 'hidden.ndjson': lines(...batches(n => ({ ...pair(n), created_at: moment(n) }))) })
  await counts({ 'ratings.ndjson': lines(...batches(n => ({ ...pair(n), rating: 'like', ...(n % 3 > 0 && { created_at: moment(n) }) }))) })
  await counts({ 'preferences.ndjson': lines(...batches(n => ({ ...pair(n), audio: 'en', updated_at: moment(n) }))) })
})

t.test('a check foresees what depends on contents of the same run', async t => {
  const { counts, all, db } = await importer(t)
  const minutes = (id: number, more: object) => film(id, { duration: 1000, ...more })
  const texts = {
    'users.ndjson': lines(user(1), user(2)),
    'contents.ndjson': lines(
      { id: 1, type: 'show', name: 'Show' },
      { id: 2, type: 'episode', name: 'One', parent_id: 1 },
      { id: 3, type: 'episode', name: 'Two', parent_id: 1 },
      minutes(4, { markers: [{ type: 'credits', start: 500 }] }),
      minutes(5, {}),
      film(6),
      film(7, { markers: [{ type: 'credits', start: 500 }] }),
      film(8, { markers: [{ type: 'credits', start: 0 }] })
    ),
    'history.ndjson': lines(...[4, 5, 6, 7, 8].map(content_id => ({ user_id: 1, content_id, time: 600 }))),
    'ratings.ndjson': lines(
      ...[1, 2, 3].map(content_id => ({ user_id: 1, content_id, rating: 'like', created_at: '2024-01-01T00:00:00Z' }))
    )
  }
  t.match(await counts(texts), { history: [5, 0, 0], ratings: [1, 0, 2] })
  const percentages = (await all('history')).map(({ content_id, percentage }) => [content_id, percentage])
  t.strictSame(percentages.sort(), [
    [4, 90],
    [5, 60],
    [6, 0],
    [7, 90],
    [8, 90]
  ])
  const times = { 'history.ndjson': lines({ user_id: 2, content_id: 5, time: 500 }) }
  t.strictSame(await counts(times), { history: [1, 0, 0] })
  t.match(await db.collection('history').findOne({ user_id: 2 }), { percentage: 50 })
})

t.test('histories of contents that were replaced', async t => {
  const { run, counts, db } = await withViewers(t)
  const history = db.collection('history')
  const of = (...records: object[]) => ({ 'history.ndjson': lines(...records) })
  const at = (year: number) => `${year}-01-01T00:00:00.000Z`
  await run(of({ _id: 'a'.repeat(24), user_id: 1, content_id: 1, plays: 1, updated_at: at(2020) }))

  t.test('an element that still stands under the earlier id is the one that a line changes', async t => {
    const texts = {
      'contents.ndjson': lines(film(7, { replaces: [1] })),
      ...of({ _id: 'a'.repeat(24), user_id: 1, content_id: 7, plays: 1, time: 5, updated_at: at(2021) }, { user_id: 2, content_id: 1 })
    }
    t.match(await counts(texts), { history: [1, 1, 0] })
    t.match(await history.find({ user_id: 1 }).toArray(), [{ content_id: 1, plays: 1, time: 5 }])
    t.match(await history.find({ user_id: 2 }).toArray(), [{ content_id: 7 }])
    t.match(await counts(of({ user_id: 1, content_id: 7, plays: 1, time: 5, updated_at: at(2021) })), { history: [0, 0, 1] })
  })

  t.test('of two elements, the one under the present id is', async t => {
    await history.insertOne({ ...(await history.findOne({ user_id: 2 })), _id: undefined, content_id: 1, user_id: 2 } as object)
    await run(of({ user_id: 2, content_id: 7, time: 9, updated_at: at(2030) }))
    t.match(await history.find({ user_id: 2 }).sort({ content_id: 1 }).toArray(), [
      { content_id: 1, time: 0 },
      { content_id: 7, time: 9 }
    ])
  })

  t.test('another import may replace a content meanwhile', async t => {
    const replacing = (id: number, earlier: number) => {
      let isReplaced = false
      return async () => {
        if (!isReplaced) await counts({ 'contents.ndjson': lines(film(id, { replaces: [earlier] })) }, { confirm: async () => ({}) })
        isReplaced = true
        return {}
      }
    }
    const manyOf = (content_id: number, more: (n: number) => object) =>
      lines(...Array.from({ length: 2500 }, (_, n) => ({ user_id: 1, content_id: n < 2000 ? 3 : content_id, ...more(n) })))
    await counts({ 'history.ndjson': manyOf(2, time => ({ time })) }, { confirm: replacing(8, 2) })
    t.match(await history.find({ user_id: 1, content_id: { $in: [2, 8] } }).toArray(), [{ content_id: 8, time: 2499 }])
    await counts({ 'watchlist.ndjson': manyOf(8, () => ({})) }, { confirm: replacing(9, 8) })
    t.match(await db.collection('watchlist').find({ user_id: 1 }).sort({ content_id: 1 }).toArray(), [{ content_id: 3 }, { content_id: 9 }])
  })
})

t.test('lists of contents that were replaced', async t => {
  const { run, counts, all } = await withViewers(t)
  const at = (year: number) => `${year}-01-01T00:00:00.000Z`
  const texts = (content_id: number, year: number) => ({
    'watchlist.ndjson': lines({ id: 5, user_id: 1, content_id }),
    'ratings.ndjson': lines({ user_id: 1, content_id, rating: year > 2020 ? 'dislike' : 'like', created_at: at(year) }),
    'preferences.ndjson': lines({ user_id: 1, content_id, audio: 'en', updated_at: at(year) })
  })
  await run(texts(1, 2020))
  t.strictSame(await counts({ 'contents.ndjson': lines(film(7, { replaces: [1] })), ...texts(7, 2021) }), {
    contents: [1, 0, 0],
    watchlist: [0, 0, 1],
    ratings: [0, 1, 0],
    preferences: [0, 1, 0]
  })
  t.match(await all('watchlist'), [{ _id: 5, content_id: 1 }])
  t.match(await all('ratings'), [{ content_id: 1, rating: 'dislike' }])
  t.match(await all('preferences'), [{ content_id: 1 }])
})

t.test('a check of lists in a database without indexes', async t => {
  const { run, db } = await withViewers(t)
  await db.collection('history').dropIndexes()
  t.match(await run({ 'history.ndjson': lines({ user_id: 1, content_id: 1 }) }, { check: true }), { kinds: { history: { added: 1 } } })
})

t.test('warnings', async t => {
  const { db, run } = await importer(t)
  const show = { id: 1, type: 'show', name: 'Show' }
  const episode = (id: number, more: object = {}) => ({ id, type: 'episode', name: `Episode ${id}`, ...more })
  const warned = async (...contents: object[]) => {
    const { warnings } = await run({ 'contents.ndjson': lines(...contents) })
    return warnings.map(({ place, field, reason }) => `${place} ${field} ${reason}`)
  }

  t.test('of seasons and episodes on their own', async t => {
    t.strictSame(await warned(show, { id: 2, type: 'season', name: 'Season' }, episode(3), film(4)), [
      '2 parent_id is missing: this season is on no page of a show',
      '3 parent_id is missing: this episode is on no page of a show'
    ])
  })

  t.test('of parents that are neither shows nor seasons', async t => {
    t.strictSame(await warned(episode(3, { parent_id: 4 }), episode(5, { parent_id: 1 }), film(6, { parent_id: 3 })), [
      '1 parent_id content 4 has the type film, so it is neither a show nor a season',
      '3 parent_id content 3 has the type episode, so it is neither a show nor a season'
    ])
  })

  t.test('of types that nothing else has', async t => {
    const films = Array.from({ length: 18 }, (_, n) => film(100 + n))
    const odd = [film(200, { type: 'flim' })]
    t.strictSame(await warned(...films, ...odd), [], 'of few lines')
    await db.collection('contents').deleteMany({ type: 'flim' })
    t.strictSame(await warned(...films, ...odd, film(201)), ['19 type no other content has the type flim'])
    t.strictSame(await warned(...films, ...odd, film(201)), [], 'of one that the database has')
  })

  t.test('of episodes without a position among others that have one', async t => {
    const parent_id = 1
    t.strictSame(await warned(episode(10, { parent_id }), episode(11, { parent_id })), [])
    t.strictSame(await warned(episode(10, { parent_id, position: 1 }), episode(11, { parent_id })), [
      '2 position is missing, while other episodes of content 1 have one'
    ])
    t.strictSame(await warned(episode(11, { parent_id })), ['1 position is missing, while other episodes of content 1 have one'])
    t.strictSame(await warned(episode(10, { parent_id }), episode(11, { parent_id })), [], 'what the run changes counts as it will be')
    await run({ 'contents.ndjson': lines(episode(12, { parent_id, position: 3, deleted_at: '2024-01-01T00:00:00Z' })) })
    t.strictSame(await warned(episode(11, { parent_id })), [], 'a deleted one does not count')
  })

  t.test('the first hundred', async t => {
    const orphans = Array.from({ length: 1500 }, (_, n) => episode(1000 + n))
    const found = await warned(...orphans)
    t.equal(found.length, 100)
    t.match(found.at(-1), /^100 /)
  })

  t.test('not of lines that change nothing, because their content was replaced', async t => {
    await run({ 'contents.ndjson': lines(episode(20), film(21, { replaces: [20] })) })
    t.strictSame(await warned(episode(20)), [])
  })

  t.test('with prune, by what is left', async t => {
    await run({ 'contents.ndjson': lines(show, episode(10, { parent_id: 1, position: 1 })) })
    const { warnings } = await run({ 'contents.ndjson': lines(show, episode(11, { parent_id: 1 })) }, { prune: true })
    t.strictSame(warnings, [])
  })
})
