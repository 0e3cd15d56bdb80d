import { join } from 'node:path'
import t from 'tap'
import { importInChildProcess } from '../../../src/import/upload/start-child.js'
import { film, importer, lines } from '../helper.js'

const patient = new AbortController().signal

t.test('an import in a process of its own', async t => {
  const { url, all } = await importer(t)
  const folder = t.testdir({ 'contents.ndjson': Array.from({ length: 5000 }, (_, i) => lines(film(i + 1))).join('\n') })
  const order = { url, path: join(folder, 'contents.ndjson'), prune: false, issuer: undefined, completedAt: 90 }
  // Runs beside the other tests, because it tries to reach its database for five seconds.
  const withoutDatabase = importInChildProcess({ ...order, url: 'mongodb://127.0.0.1:1' }, patient)

  t.test('says what failed', async t => {
    const outcome = await importInChildProcess({ ...order, path: join(folder, 'terms.ndjson') }, patient)
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
    t.strictSame(await importInChildProcess(order, patient), {
      status: 'imported',
      counts: { added: 5000 - written, changed: 0, unchanged: written }
    })
  })

  t.test('says that the database was down', async t => {
    t.match(await withoutDatabase, { status: 'unavailable', cause: /ECONNREFUSED/ })
  })
})
