import t from 'tap'
import { everything, film, importer, lines, term, withViewers } from './helper.js'

t.test('a run adds every kind, and a second run changes nothing', async t => {
  const { counts, all, db } = await importer(t)
  t.strictSame(await counts(everything), {
    users: [2, 0, 0],
    terms: [2, 0, 0],
    contents: [3, 0, 0],
    'rail-collections': [1, 0, 0],
    legal: [2, 0, 0],
    schedule: [2, 0, 0],
    'support-texts': [2, 0, 0],
    history: [2, 0, 0],
    watchlist: [2, 0, 0],
    hidden: [1, 0, 0]
  })
  const collections = [
    'users',
    'terms',
    'contents',
    'rail_collections',
    'legal_documents',
    'programmes',
    'support_texts',
    'history',
    'watchlist',
    'hidden',
    'counters'
  ]
  const read = () => Promise.all(collections.map(all))
  const before = await read()
  t.strictSame(await counts(everything), {
    users: [0, 0, 2],
    terms: [0, 0, 2],
    contents: [0, 0, 3],
    'rail-collections': [0, 0, 1],
    legal: [0, 0, 2],
    schedule: [0, 0, 2],
    'support-texts': [0, 0, 2],
    history: [0, 0, 2],
    watchlist: [0, 0, 2],
    hidden: [0, 0, 1]
  })
  t.strictSame(await read(), before)

  t.test('ids that were given move their counters', async t => {
    const counters = await db.collection<{ _id: string; last: number }>('counters').find().sort({ _id: 1 }).toArray()
    t.strictSame(counters, [
      { _id: 'terms', last: 2 },
      { _id: 'users', last: 2 },
      { _id: 'watchlist', last: 71 }
    ])
  })
  t.test('ids and languages are as the service reads them', async t => {
    t.strictSame(
      (await all('legal_documents')).map(({ _id }) => _id),
      ['de-ch', 'en']
    )
    t.strictSame(
      (await all('support_texts')).map(({ _id }) => _id),
      ['1/de', '1/en']
    )
  })
})

t.test('two runs at once make one document of each record', async t => {
  const { counts, all } = await withViewers(t)
  const texts = {
    'terms.ndjson': lines(...Array.from({ length: 300 }, (_, at) => ({ vendor_id: `v${at}`, name: 'x', taxonomy: 'genre' }))),
    'history.ndjson': lines(
      ...Array.from({ length: 300 }, (_, at) => ({
        user_id: 1 + (at % 2),
        content_id: 1 + (at % 3),
        time: at,
        updated_at: '2024-01-01T00:00:00Z'
      }))
    ),
    'watchlist.ndjson': lines(...[1, 2].flatMap(user_id => [1, 2, 3].map(content_id => ({ user_id, content_id }))))
  }
  await Promise.all([counts(texts), counts(texts), counts(texts)])
  t.equal((await all('terms')).length, 300)
  t.equal((await all('history')).length, 6)
  t.equal((await all('watchlist')).length, 6)
})

t.test('progress is reported for each step and file, to the last byte', async t => {
  const { run } = await importer(t)
  const seen: string[] = []
  const texts = { 'terms.ndjson': lines(term(1)), 'contents.ndjson': lines(film(1), film(2)) }
  await run(texts, { onProgress: ({ step, file, records, done, total }) => seen.push(`${step} ${file} ${records} ${done}/${total}`) })
  const [first, all] = [texts['terms.ndjson'].length, texts['terms.ndjson'].length + texts['contents.ndjson'].length]
  t.strictSame(seen, [
    `check terms.ndjson 1 ${first}/${all}`,
    `check contents.ndjson 2 ${all}/${all}`,
    `write terms.ndjson 1 ${first}/${all}`,
    `write contents.ndjson 2 ${all}/${all}`
  ])
})
