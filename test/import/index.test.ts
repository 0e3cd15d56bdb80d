import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ImportKind } from '../../schemas/import.js'
import { connectionTo } from '../../src/database/connection.js'
import { LeaseLost, leasesOf } from '../../src/database/leases.js'
import type { ErrorAnswer } from '../../src/errors.js'
import { catalogueLease, viewersLease, withImportLease } from '../../src/import/import-lease.js'
import { importFiles } from '../../src/import/index.js'
import {
  countsOrThrow,
  type ImportOutcome,
  importInChildProcess,
  importUpload,
  outcomeOf,
  outcomeOfError,
  receive,
  removeLeftovers
} from '../../src/import/upload.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { everything, film, importer, lines, term, withViewers } from './helper.js'

t.test('a run adds every kind, and a second run changes nothing', async t => {
  const { counts, all, db } = await importer(t)
  t.strictSame(await counts(everything), {
    users: [2, 0, 0],
    terms: [2, 0, 0],
    people: [2, 0, 0],
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
    'people',
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
    people: [0, 0, 2],
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
  const inParallel = { confirm: async () => ({}) }
  await Promise.all([1, 2, 3].map(() => counts(texts, inParallel)))
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
  const kinds: ImportKind[] = ['history', 'contents']
  t.strictSame(await withImportLease(db, async () => ['first'], { kinds, onWait, signal }), ['first'])
  t.strictSame(said, [])

  let second: Promise<unknown> = Promise.resolve()
  await leasesOf(db).withLease(catalogueLease, async () => {
    const work = async () => {
      said.push('second')
      return ['second']
    }
    second = withImportLease(db, work, { kinds, onWait, signal })
    await until(() => said.length > 0)
    said.push('first ends')
    return true
  })
  t.strictSame(await second, ['second'])
  t.strictSame(said, ['waiting', 'first ends', 'second'])
})

t.test('imports of the catalogue and of what viewers have do not wait for each other', async t => {
  const { db } = await importer(t)
  const importing = (...kinds: ImportKind[]) => {
    const stop = new AbortController()
    return withImportLease(db, async () => kinds, { kinds, onWait: () => stop.abort(), signal: stop.signal })
  }
  const heldLeases = () => db.collection('leases').countDocuments()
  t.strictSame(
    await leasesOf(db).withLease(viewersLease, async () => [await importing('terms', 'contents'), await importing('users', 'history')]),
    [['terms', 'contents'], undefined]
  )
  for (const lease of [viewersLease, catalogueLease])
    t.strictSame(
      await leasesOf(db).withLease(lease, async () => [await importing('contents', 'history'), await heldLeases()]),
      [undefined, 1],
      'an import of both gives back the lease that it could have'
    )
})

t.test('an import of both writes only as long as it has both leases', async t => {
  const { db } = await importer(t)
  const { signal } = new AbortController()
  const leases = db.collection<{ _id: string }>('leases')
  const both = { kinds: ['history', 'contents'] as ImportKind[], onWait: () => undefined, signal }
  for (const lease of [viewersLease, catalogueLease])
    await withImportLease(
      db,
      async ({ confirm }) => {
        const { maxTimeMS = 0 } = await confirm()
        t.ok(maxTimeMS > 0 && Number.isFinite(maxTimeMS), 'a write may last until the first of them runs out')
        await leases.deleteOne({ _id: lease })
        await t.rejects(confirm(), { message: /^The lease of this import/ })
        return [true]
      },
      both
    )
})

t.test('an import that loses the database while it writes says so', async t => {
  const { url, all } = await importer(t)
  const proxy = await proxyTo(t, url)
  const { client, db } = connectionTo(proxy.url, { serverSelectionTimeoutMS: 500 })
  t.teardown(() => client.close())
  const lost = proxy.at('a film that is not written', proxy.leave)
  const imported = importFiles(db, { 'contents.ndjson': lines(film(1, { title: { de: 'a film that is not written' } })) }, {})
  await t.rejects(imported, { message: /ECONNREFUSED|closed/ })
  await lost
  t.strictSame(await all('contents'), [])
})

t.test('waiting can be stopped', async t => {
  const { db } = await importer(t)
  const stop = new AbortController()
  const held = await leasesOf(db).withLease(catalogueLease, async () => {
    t.equal(
      await withImportLease(db, async () => ['never'], { kinds: ['terms'], onWait: () => stop.abort(), signal: stop.signal }),
      undefined
    )
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
      await leases.updateOne({ _id: catalogueLease }, [{ $set: { expires_at: '$$NOW' } }])
      await leasesOf(db).withLease(catalogueLease, async () => true)
    }
    const imported = leasesOf(db).withLease(catalogueLease, ({ confirm }) =>
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

t.test('files that a killed process left behind are removed, and none of a living one', async t => {
  const folderOf = (pid: number) => mkdtemp(join(tmpdir(), `viewer-import-${pid}-`))
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const folders = [await folderOf(ended), await folderOf(process.pid), await folderOf(process.ppid)]
  t.teardown(() => rm(String(folders[2]), { recursive: true }))
  await removeLeftovers()
  t.strictSame(folders.map(existsSync), [false, false, true])
})

t.test('no import begins while the service is stopping', async t => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const caller = request({ port: (server.address() as AddressInfo).port, method: 'POST', agent: false }).on('error', () => {})
  t.teardown(() => caller.destroy())
  caller.end('{}')
  const [upload] = (await once(server, 'request')) as [IncomingMessage]
  const { signal } = new AbortController()
  const order = {
    url: 'mongodb://127.0.0.1:1',
    prune: false,
    check: false,
    issuer: undefined,
    completedAt: 90,
    signal,
    isStopping: () => true,
    leave: () => {}
  }
  t.strictSame(await importUpload(upload, 'contents', order), { status: 'interrupted' })
})

const patient = { idleTimeout: 60_000, signal: new AbortController().signal }

/** An upload that has begun, as its receiver and as its caller see it. */
const begun = async (t: Test, first = 'one\n') => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const caller = request({ port: (server.address() as AddressInfo).port, method: 'POST', agent: false }).on('error', () => {})
  caller.write(first)
  const [upload, response] = (await once(server, 'request')) as [IncomingMessage, { end: () => void }]
  t.teardown(() => {
    response.end()
    caller.destroy()
  })
  return { caller, upload, path: join(t.testdir(), 'file') }
}

const statusOf = (receiving: Promise<void>) =>
  receiving.then(
    () => 'received',
    ({ statusCode }: ErrorAnswer) => statusCode
  )

t.test('what a caller sends is in the file', async t => {
  const { caller, upload, path } = await begun(t)
  caller.end('two\n')
  t.equal(await statusOf(receive(upload, path, patient)), 'received')
  t.equal(readFileSync(path, 'utf8'), 'one\ntwo\n')
  t.equal(upload.socket.timeout, 0, 'the caller may wait for the import without a timeout')
})

t.test('a silent caller gets a 408', async t => {
  const { upload, path } = await begun(t)
  t.equal(await statusOf(receive(upload, path, { ...patient, idleTimeout: 100 })), 408)
})

t.test('a caller who hangs up ends the upload', async t => {
  const { caller, upload, path } = await begun(t)
  const receiving = statusOf(receive(upload, path, patient))
  caller.destroy()
  t.equal(await receiving, 400)
})

t.test('a service that stops ends the upload', async t => {
  const { upload, path } = await begun(t)
  const stop = new AbortController()
  const receiving = statusOf(receive(upload, path, { ...patient, signal: stop.signal }))
  stop.abort()
  t.equal(await receiving, 503)
  const late = await begun(t)
  t.equal(await statusOf(receive(late.upload, late.path, { ...patient, signal: stop.signal })), 503, 'no upload begins after the signal')
})

t.test('a file that cannot be written ends the upload', async t => {
  const { upload, path } = await begun(t)
  await t.rejects(receive(upload, join(path, 'below'), patient), { code: 'ENOENT' })
})

t.test('an import in a process of its own', async t => {
  const { url, all } = await importer(t)
  const folder = t.testdir({ 'contents.ndjson': Array.from({ length: 5000 }, (_, i) => lines(film(i + 1))).join('\n') })
  const order = { url, path: join(folder, 'contents.ndjson'), prune: false, check: false, issuer: undefined, completedAt: 90 }
  // Runs beside the other tests, because it tries to reach its database for five seconds.
  const withoutDatabase = importInChildProcess({ ...order, url: 'mongodb://127.0.0.1:1' }, patient.signal)

  t.test('says what failed', async t => {
    const outcome = await importInChildProcess({ ...order, path: join(folder, 'terms.ndjson') }, patient.signal)
    t.match(outcome, { status: 'failed', cause: /terms\.ndjson: does not exist/ })
  })

  t.test('stops after a batch, and the next one completes it', async t => {
    t.strictSame(await importInChildProcess(order, AbortSignal.abort()), { status: 'interrupted' }, 'an aborted import does not begin')
    const stop = new AbortController()
    const stopped = importInChildProcess(order, stop.signal)
    while ((await all('contents')).length === 0) await new Promise(setImmediate)
    stop.abort()
    // On a busy machine, the batch may take longer than a stop may.
    t.match(await stopped, { status: /^(interrupted|stopped)$/ })
    const outcome = await importInChildProcess(order, patient.signal)
    t.match(outcome, { status: 'imported', counts: { changed: 0 } })
    const { added, unchanged } = (outcome as Extract<ImportOutcome, { status: 'imported' }>).counts
    t.ok(added > 0 && unchanged > 0 && added + unchanged === 5000, `${unchanged} were written before, and ${added} now`)
  })

  t.test('leaves its lease to a batch that the database may still be at', async t => {
    const { url, db } = await importer(t)
    const proxy = await proxyTo(t, url)
    const stop = new AbortController()
    const leases = db.collection<{ _id: string }>('leases')
    const importing = async (url: string) => {
      const { caller, upload } = await begun(t, lines(film(1)))
      caller.end()
      const options = { ...order, url, signal: stop.signal, isStopping: () => false }
      return leasesOf(db).withLease(catalogueLease, ({ holder, leave }) =>
        importUpload(upload, 'contents', { ...options, lease: { name: catalogueLease, holder }, leave })
      )
    }
    const isHeld = async () => (await leases.countDocuments({ _id: catalogueLease })) === 1

    t.match(await importing(url), { status: 'imported' })
    t.notOk(await isHeld())
    t.match(await importing('nonsense'), { status: 'crashed', cause: 'The import ended with status 1' })
    t.ok(await isHeld(), 'it may have crashed in the middle of a batch')
    await leases.deleteMany()
    const asked = proxy.at(catalogueLease, proxy.freeze)
    const importingSlowly = importing(proxy.url)
    await asked
    stop.abort()
    t.match(await importingSlowly, { status: 'stopped' })
    t.ok(await isHeld())
  })

  t.test('says that the database was down', async t => {
    t.match(await withoutDatabase, { status: 'unavailable', cause: /ECONNREFUSED/ })
  })
})

t.test('the outcome of an interrupted import leaves out what was written before', async t => {
  const counts = { added: 1, changed: 0, unchanged: 0 }
  t.strictSame(outcomeOf({ kinds: { contents: counts }, warnings: [], interrupted: true }), { status: 'interrupted' })
  const warnings = [{ file: 'contents.ndjson', place: 2, field: 'type', reason: 'is odd' }]
  t.strictSame(outcomeOf({ kinds: { contents: counts }, warnings, interrupted: false }), {
    status: 'imported',
    counts,
    warnings: [{ line: 2, field: 'type', message: 'is odd' }]
  })
})

t.test('what a caller gets for the outcome of an import', async t => {
  const warnings: string[] = []
  const answerTo = (outcome: ImportOutcome) => countsOrThrow(outcome, cause => warnings.push(cause))
  const counts = { added: 1, changed: 2, unchanged: 3 }
  t.strictSame(answerTo({ status: 'imported', counts, warnings: [] }), { ...counts, removed: 0, warnings: [] })
  t.match(answerTo({ status: 'imported', counts: { ...counts, pruned: 4 }, warnings: [] }), { ...counts, removed: 4 })

  const thrownBy = (outcome: ImportOutcome) => {
    try {
      return answerTo(outcome)
    } catch (error) {
      return { ...(error as ErrorAnswer), message: (error as Error).message }
    }
  }
  const errors = [{ line: 3, field: 'name', message: 'is required' }]
  const refused = (rest: number) => thrownBy({ status: 'refused', errors, rest })
  t.match(refused(0), { statusCode: 400, message: 'line 3: name is required', body: { errors } })
  t.match(refused(1), { message: 'line 3: name is required, and 1 more error' })
  t.match(refused(2), { message: 'line 3: name is required, and 2 more errors' })
  for (const status of ['failed', 'crashed'] as const)
    t.strictSame(thrownBy({ status, cause: 'the disk is full' }), { message: 'the disk is full' })
  t.strictSame(warnings, [])

  for (const outcome of [{ status: 'interrupted' }, { status: 'unavailable', cause: 'the database is down' }] as const)
    t.match(thrownBy(outcome), { statusCode: 503, headers: { 'retry-after': '1' } })
  t.match(thrownBy(outcomeOfError(new LeaseLost('import'))), { statusCode: 409, headers: { 'retry-after': '5' } })
  const lost = 'The lease of this import ran out, probably because the database did not respond for too long'
  t.strictSame(warnings, ['the service is stopping', 'the database is down', lost])
})
