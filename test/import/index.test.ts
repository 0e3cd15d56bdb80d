import t from 'tap'
import { leasesOf } from '../../src/data/leases.js'
import { importLease, withImportLease } from '../../src/import/import-lease.js'
import { until } from '../helpers/until.js'
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
    hidden: [1, 0, 0],
    ratings: [1, 0, 0],
    preferences: [2, 0, 0]
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
    'ratings',
    'preferences',
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
    hidden: [0, 0, 1],
    ratings: [0, 0, 1],
    preferences: [0, 0, 2]
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

t.test('an import begins when another one has ended', async t => {
  const { db } = await importer(t)
  const { signal } = new AbortController()
  const said: string[] = []
  const onWait = () => said.push('waiting')
  t.strictSame(await withImportLease(db, async () => ['first'], { onWait, signal }), ['first'])
  t.strictSame(said, [])

  let second: Promise<unknown> = Promise.resolve()
  await leasesOf(db).withLease(importLease, async () => {
    const work = async () => {
      said.push('second')
      return ['second']
    }
    second = withImportLease(db, work, { onWait, signal })
    await until(() => said.length > 0)
    said.push('first ends')
    return true
  })
  t.strictSame(await second, ['second'])
  t.strictSame(said, ['waiting', 'first ends', 'second'])
})

t.test('waiting can be stopped', async t => {
  const { db } = await importer(t)
  const stop = new AbortController()
  const held = await leasesOf(db).withLease(importLease, async () => {
    t.equal(await withImportLease(db, async () => ['never'], { onWait: () => stop.abort(), signal: stop.signal }), undefined)
    return true
  })
  t.ok(held)
})

t.test('an import whose lease ran out writes nothing more', async t => {
  const { db, run, all } = await importer(t)
  const leases = db.collection<{ _id: string }>('leases')
  /** Another process imports as soon as this one has reached the step. */
  const losingAt = async (texts: Record<string, string>, at: 'check' | 'write' | 'prune') => {
    const before = await Promise.all([all('contents'), all('terms')])
    let lost: Promise<unknown> | undefined
    const lose = async () => {
      await leases.updateOne({ _id: importLease }, [{ $set: { expires_at: '$$NOW' } }])
      await leasesOf(db).withLease(importLease, async () => true)
    }
    const imported = leasesOf(db).withLease(importLease, ({ confirm }) =>
      run(texts, {
        prune: at === 'prune',
        onProgress: ({ step, done, total }) => {
          if (step === at || (at === 'prune' && step === 'write' && done === total)) lost ??= lose()
        },
        // Whatever is to be written waits until the lease is lost.
        confirm: async () => {
          await lost
          return confirm()
        }
      })
    )
    await t.rejects(imported, { message: /^The lease of this import ran out/ })
    t.ok(lost)
    return { before, after: await Promise.all([all('contents'), all('terms')]) }
  }

  const checked = await losingAt({ 'contents.ndjson': lines(film(1)) }, 'check')
  t.strictSame(checked.after, checked.before, 'nothing is written')

  const many = lines(...Array.from({ length: 3500 }, (_, at) => film(at + 1)))
  const { after } = await losingAt({ 'contents.ndjson': many }, 'write')
  t.equal(after[0].length, 1000, 'the first batch, and none after it')

  await run({ 'terms.ndjson': lines(term(1), term(2)), 'contents.ndjson': lines(film(1), film(2, { terms: [2] })) })
  for (const texts of [{ 'contents.ndjson': lines(film(1)) }, { 'terms.ndjson': lines(term(1)) }] as Record<string, string>[]) {
    const pruned = await losingAt(texts, 'prune')
    t.strictSame(pruned.after, pruned.before, 'nothing is removed')
  }
})
