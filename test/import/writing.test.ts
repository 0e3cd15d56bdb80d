import t from 'tap'
import { startMongod } from '../../scripts/mongod/start.js'
import { connectionTo } from '../../src/data/driver/connection.js'
import { isUnavailable } from '../../src/data/driver/faults.js'
import { importFiles } from '../../src/import/index.js'
import type { Source } from '../../src/import/sources.js'
import { writeFile } from '../../src/import/writing.js'
import { proxyTo } from '../helpers/proxy.js'
import { everything, film, importer, legalText, lines, rail, show, supportText, term, user, withViewers } from './helper.js'

t.test('a run that is stopped ends after the batch under way, and a second one completes it', async t => {
  const { run, counts, all } = await importer(t)
  const texts = {
    'contents.ndjson': lines(...Array.from({ length: 5000 }, (_, at) => film(at + 1))),
    'legal.ndjson': lines(legalText('en'))
  }
  const stop = new AbortController()
  const { interrupted, kinds } = await run(texts, {
    signal: stop.signal,
    prune: true,
    onProgress: ({ step }) => step === 'write' && stop.abort()
  })
  t.equal(interrupted, true)
  t.strictSame(Object.keys(kinds), ['contents'])
  const written = (await all('contents')).length
  t.ok(written > 0 && written < 5000 && written % 1000 === 0, `${written} are written`)
  t.equal(kinds.contents?.added, written)
  t.strictSame(await counts(texts), { contents: [5000 - written, 0, written], legal: [1, 0, 0] })

  t.test('while it prunes, it prunes the rest the next time', async t => {
    const { run, counts } = await importer(t)
    await run(texts)
    const stop = new AbortController()
    const less = { 'contents.ndjson': '', 'legal.ndjson': '' }
    const onProgress = ({ step, file }: { step: string; file: string }) => step === 'write' && file === 'legal.ndjson' && stop.abort()
    t.match(await run(less, { prune: true, signal: stop.signal, onProgress }), { interrupted: true })
    t.strictSame(await counts(less, { prune: true }), { contents: [0, 0, 0, 5000], legal: [0, 0, 0, 1] }, 'pruning writes in batches')
  })

  t.test('between pruning two kinds, it leaves the second as it is', async t => {
    const { url, run, counts, all } = await importer(t)
    await run({ 'contents.ndjson': lines(film(1)), 'legal.ndjson': lines(legalText('en')) })
    const { client, db } = connectionTo(url, { monitorCommands: true })
    t.teardown(() => client.close())
    const stop = new AbortController()
    client.on('commandStarted', ({ command }) => command.update === 'contents' && stop.abort())
    const less = { 'contents.ndjson': '', 'legal.ndjson': '' }
    const { interrupted, kinds } = await importFiles(db, less, { prune: true, signal: stop.signal })
    t.strictSame([interrupted, kinds.contents?.pruned, kinds.legal?.pruned], [true, 1, undefined])
    t.equal((await all('legal_documents')).length, 1)
    t.strictSame(await counts(less, { prune: true }), { contents: [0, 0, 0, 0], legal: [0, 0, 0, 1] })
  })

  t.test('before it writes, it writes nothing', async t => {
    const { run, all } = await importer(t)
    const { interrupted, kinds } = await run(texts, { signal: AbortSignal.abort() })
    t.strictSame([interrupted, kinds, await all('contents')], [true, {}, []])
  })
})

t.test('a failure while writing is thrown, and what was written before is announced', async t => {
  const { db, run, revision, all } = await importer(t)

  t.test('where the database refuses a document', async t => {
    await db.dropCollection('legal_documents')
    await db.createCollection('legal_documents', { validator: { title: { $ne: 'Refused' } } })
    await t.rejects(run({ 'legal.ndjson': lines(legalText('en'), legalText('de', { title: 'Refused' })) }), /failed validation/)
    t.strictSame(
      (await all('legal_documents')).map(({ _id }) => _id),
      ['en']
    )
    t.equal(await revision('legal_documents'), 1)
  })
  t.test('where the database goes away', async t => {
    const mongod = await startMongod({ say: line => t.comment(line) })
    const { client, db } = connectionTo(mongod.url, { serverSelectionTimeoutMS: 500 })
    t.teardown(() => client.close())
    const stopped: Promise<void>[] = []
    const onProgress = ({ step }: { step: string }) => step === 'write' && stopped.length === 0 && void stopped.push(mongod.stop())
    const contents = lines(...Array.from({ length: 20_000 }, (_, at) => film(at + 1)))
    const error = await importFiles(db, { 'contents.ndjson': contents }, { onProgress }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
    await Promise.all(stopped)
  })
  t.test('where it was never there, which is no fault of the files', async t => {
    const { client, db } = connectionTo('mongodb://127.0.0.1:1/away', { serverSelectionTimeoutMS: 100 })
    t.teardown(() => client.close())
    const error = await importFiles(db, { 'users.ndjson': lines(user(1)) }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
  })
  t.test('where the connection breaks', async t => {
    const { url, all } = await withViewers(t)
    const proxy = await proxyTo(t, url)
    const { client, db } = connectionTo(proxy.url, { serverSelectionTimeoutMS: 2000 })
    t.teardown(() => client.close())
    const at = (second: number) => new Date(Date.UTC(2024, 0, 1, 0, 0, second)).toISOString()
    const records = Array.from({ length: 3000 }, (_, time) => ({ user_id: 1, content_id: 1, time, updated_at: at(time) }))
    const onProgress = ({ step }: { step: string }) => step === 'write' && proxy.leave()
    const error = await importFiles(db, { 'history.ndjson': lines(...records) }, { onProgress }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
    t.match(await all('history'), [{ time: 999 }], 'the batch before it was written')
  })
  t.test('where the client was closed', async t => {
    const { url, all } = await importer(t)
    const { client, db } = connectionTo(url)
    let onBatch = () => {}
    const written = new Promise<void>(resolve => {
      onBatch = resolve
    })
    const source: Source = {
      name: 'watchlist.ndjson',
      kind: 'watchlist',
      format: 'ndjson',
      size: 0,
      state: async () => '',
      async *open() {
        yield Buffer.from('1\n'.repeat(1000))
        await written
        await client.close()
        yield Buffer.from('2')
      }
    }
    const operations = async (records: unknown[]) => [
      { updateOne: { filter: { _id: records[0] as never }, update: { $set: { count: records.length } }, upsert: true as const } }
    ]
    const kind = { collection: 'watchlist', check: () => undefined, operations }
    const error = await writeFile(db, source, kind, { onBatch, signal: undefined, confirm: async () => ({ timeoutMS: 60_000 }) }).catch(
      (error: unknown) => error
    )
    t.ok(isUnavailable(error), String(error))
    t.strictSame(await all('watchlist'), [{ _id: 1, count: 1000 }], 'the batch before it was written')
  })
  t.test('where another process took an e-mail meanwhile', async t => {
    const taking = { _id: 9, email: 'u1@example.com', email_key: 'u1@example.com' }
    const onProgress = ({ step }: { step: string }) => step === 'check' && void db.collection<{ _id: number }>('users').insertOne(taking)
    await t.rejects(run({ 'users.ndjson': lines(user(1)) }, { onProgress }), /E11000/)
  })
})

t.test('--prune', async t => {
  const pruning = { prune: true }

  t.test('removes what the files lack of each kind, and marks contents', async t => {
    const { run, counts, all, one, revision } = await importer(t)
    await run(everything)
    const revisions = ['contents', 'terms', 'rail_collections', 'legal_documents', 'programmes', 'support_texts']
    const before = await Promise.all(revisions.map(revision))
    const less = {
      'users.ndjson': lines(user(1)),
      'terms.ndjson': lines(term(1)),
      'contents.ndjson': lines(film(1, { terms: [1] })),
      'rail-collections.ndjson': lines(rail(5)),
      'legal.ndjson': lines(legalText('EN')),
      'schedule.ndjson': lines(show(2, { channel: 'two' })),
      'support-texts.ndjson': lines(supportText(1, { language: 'de' })),
      'history.ndjson': '',
      'watchlist.ndjson': '',
      'hidden.ndjson': '',
      'ratings.ndjson': '',
      'preferences.ndjson': ''
    }
    t.strictSame(await counts(less, pruning), {
      users: [0, 0, 1],
      terms: [0, 0, 1, 1],
      contents: [0, 0, 1, 2],
      'rail-collections': [1, 0, 0, 1],
      legal: [0, 0, 1, 1],
      schedule: [0, 0, 1, 1],
      'support-texts': [0, 0, 1, 1],
      history: [0, 0, 0],
      watchlist: [0, 0, 0],
      hidden: [0, 0, 0],
      ratings: [0, 0, 0],
      preferences: [0, 0, 0]
    })
    const ids = async (collection: string) => (await all(collection)).map(({ _id }) => _id)
    t.strictSame(await ids('users'), [1, 2], 'pruning removes no users')
    t.strictSame(await ids('terms'), [1])
    t.strictSame(await ids('contents'), [1, 2, 3])
    t.strictSame(await ids('rail_collections'), [5])
    t.strictSame(await ids('legal_documents'), ['en'])
    t.strictSame(await ids('programmes'), [2])
    t.strictSame(await ids('support_texts'), ['1/de'])
    t.equal((await all('history')).length, 2)
    t.equal((await all('watchlist')).length, 2)
    t.equal((await all('hidden')).length, 1)
    t.equal((await all('ratings')).length, 1)

    const marked = await one('contents', 2)
    t.type(marked?.deleted_at, Date)
    t.strictSame(marked?.updated_at, marked?.deleted_at)
    t.equal((await one('contents', 1))?.deleted_at, null)
    const after = await Promise.all(revisions.map(revision))
    for (const [at, kind] of revisions.entries()) t.ok((after[at] as number) > (before[at] as number), `${kind} has a new revision`)

    t.test('a second run finds nothing more', async t => {
      t.match(await counts(less, pruning), { contents: [0, 0, 1, 0], terms: [0, 0, 1, 0], legal: [0, 0, 1, 0] })
    })
    t.test('a content that is listed again is back', async t => {
      t.strictSame(await counts({ 'contents.ndjson': everything['contents.ndjson'] }, pruning), { contents: [0, 2, 1, 0] })
      t.equal((await one('contents', 2))?.deleted_at, null)
    })
    t.test('kinds without a file stay', async t => {
      t.strictSame(await counts({ 'legal.ndjson': '' }, pruning), { legal: [0, 0, 0, 1] })
      t.strictSame(await ids('terms'), [1])
    })
  })

  t.test('of a term that contents of the run name is a fault', async t => {
    const { run, faults } = await importer(t)
    await run({ 'terms.ndjson': lines(term(1), term(2)) })
    t.strictSame(await faults({ 'terms.ndjson': lines(term(1)), 'contents.ndjson': lines(film(1, { terms: [1, 2] })) }, pruning), [
      'contents.ndjson:1: terms: the term 2 is not in the import, which removes it'
    ])
  })

  t.test('of a term takes it off the contents that stay, until both come again', async t => {
    const { run, counts, one, revision } = await importer(t)
    const contents = { 'contents.ndjson': lines(film(1, { terms: [1, 2] })) }
    await run({ 'terms.ndjson': lines(term(1), term(2)), ...contents })
    const before = await revision('contents')
    await run({ 'terms.ndjson': lines(term(1)) }, pruning)
    t.strictSame((await one('contents', 1))?.terms, [1])
    t.equal(await revision('contents'), before + 1)
    t.strictSame(await counts({ 'terms.ndjson': lines(term(1), term(2)), ...contents }, pruning), {
      terms: [1, 0, 1, 0],
      contents: [0, 1, 0, 0]
    })
    t.strictSame((await one('contents', 1))?.terms, [1, 2])
  })

  t.test('keeps terms that were given by their pair', async t => {
    const { run, all } = await importer(t)
    const free = (vendor_id: string) => ({ vendor_id, name: vendor_id, taxonomy: 'genre' })
    await run({ 'terms.ndjson': lines(free('a'), free('b')) })
    await run({ 'terms.ndjson': lines(free('b'), free('c')) }, pruning)
    t.strictSame(
      (await all('terms')).map(({ _id, vendor_id }) => [_id, vendor_id]),
      [
        [2, 'b'],
        [3, 'c']
      ]
    )
  })
})
