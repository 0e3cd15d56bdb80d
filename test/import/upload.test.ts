import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { LeaseLost } from '../../src/data/leases.js'
import type { ErrorAnswer } from '../../src/errors.js'
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
import { film, importer, lines } from './helper.js'

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
  const order = { url: 'mongodb://127.0.0.1:1', prune: false, issuer: undefined, completedAt: 90, signal, isStopping: () => true }
  t.strictSame(await importUpload(upload, 'contents', order), { status: 'interrupted' })
})

const patient = { idleTimeout: 60_000, signal: new AbortController().signal }

/** An upload that has begun, as its receiver and as its caller see it. */
const begun = async (t: Test) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const caller = request({ port: (server.address() as AddressInfo).port, method: 'POST', agent: false }).on('error', () => {})
  caller.write('one\n')
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
  const order = { url, path: join(folder, 'contents.ndjson'), prune: false, issuer: undefined, completedAt: 90 }
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
    t.strictSame(await stopped, { status: 'interrupted' })
    const written = (await all('contents')).length
    t.ok(written > 0 && written < 5000 && written % 1000 === 0, `${written} were written`)
    t.strictSame(await importInChildProcess(order, patient.signal), {
      status: 'imported',
      counts: { added: 5000 - written, changed: 0, unchanged: written }
    })
  })

  t.test('says that the database was down', async t => {
    t.match(await withoutDatabase, { status: 'unavailable', cause: /ECONNREFUSED/ })
  })
})

t.test('the outcome of an interrupted import leaves out what was written before', async t => {
  const counts = { added: 1, changed: 0, unchanged: 0 }
  t.strictSame(outcomeOf({ kinds: { contents: counts }, interrupted: true }), { status: 'interrupted' })
  t.strictSame(outcomeOf({ kinds: { contents: counts }, interrupted: false }), { status: 'imported', counts })
})

t.test('what a caller gets for the outcome of an import', async t => {
  const warnings: string[] = []
  const answerTo = (outcome: ImportOutcome) => countsOrThrow(outcome, cause => warnings.push(cause))
  const counts = { added: 1, changed: 2, unchanged: 3 }
  t.strictSame(answerTo({ status: 'imported', counts }), { ...counts, removed: 0 })
  t.strictSame(answerTo({ status: 'imported', counts: { ...counts, pruned: 4 } }), { ...counts, removed: 4 })

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
  t.strictSame(thrownBy({ status: 'failed', cause: 'the disk is full' }), { message: 'the disk is full' })
  t.strictSame(warnings, [])

  for (const outcome of [{ status: 'interrupted' }, { status: 'unavailable', cause: 'the database is down' }] as const)
    t.match(thrownBy(outcome), { statusCode: 503, headers: { 'retry-after': '1' } })
  t.match(thrownBy(outcomeOfError(new LeaseLost('import'))), { statusCode: 409, headers: { 'retry-after': '5' } })
  const lost = 'The lease of this import ran out, probably because the database did not respond for a minute'
  t.strictSame(warnings, ['the service is stopping', 'the database is down', lost])
})
