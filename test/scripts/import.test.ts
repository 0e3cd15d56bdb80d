import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { operator } from '../../scripts/command-line.js'
import { leasesOf } from '../../src/database/leases.js'
import { catalogueLease } from '../../src/import/import-lease.js'
import { commandsIn, startCommand } from '../helpers/commands.js'
import { built } from '../helpers/run.js'
import { importer, lines } from '../import/helper.js'

const film = (id: number, more: object = {}) => ({ id, type: 'film', name: `Film ${id}`, ...more })
/** A folder with files, and the command run beside it in a process of its own. */
const inFolder = (t: Test, files: Record<string, string>, url?: string) => {
  const folder = t.testdir({ data: files })
  const start = (...args: string[]) =>
    startCommand(t, built('scripts/import.js'), args, { cwd: folder, settings: url ? { MONGO_URL: url } : {} })
  return { folder, start, run: (...args: string[]) => start(...args).end() }
}

t.test('npm run import', async t => {
  const { url, all } = await importer(t)
  const runCommand = commandsIn(t, url)
  /** Runs the command beside a folder with files. */
  const beside = (t: Test, files: Record<string, string>, settings = {}) => {
    const cwd = t.testdir({ data: files })
    return async (...args: string[]) => {
      const { status, out, err } = await runCommand('import', args, { cwd, settings })
      return [status, out, err] as const
    }
  }
  const files = {
    'terms.json': JSON.stringify([{ id: 1, vendor_id: 'v', name: 'T', taxonomy: 'category' }]),
    'contents.ndjson': lines(film(1, { terms: [1] }), film(2)),
    '.DS_Store': 'hidden files are passed by'
  }

  // It waits for the database, beside all others.
  const { run: runAway } = inFolder(t, files, 'mongodb://127.0.0.1:1/x')
  const away = runAway('data')

  t.test('takes folders and files, counts, and changes nothing the second time', async t => {
    const run = beside(t, files)
    t.strictSame(await run('data'), [0, 'terms: 1 added, 0 changed, 0 unchanged\ncontents: 2 added, 0 changed, 0 unchanged\n', ''])
    t.strictSame(await run('data/contents.ndjson', 'data/terms.json', './data'), [
      0,
      'terms: 0 added, 0 changed, 1 unchanged\ncontents: 0 added, 0 changed, 2 unchanged\n',
      ''
    ])
  })

  t.test('--prune says what it took away', async t => {
    const run = beside(t, { 'terms.ndjson': '', 'contents.ndjson': lines(film(2)) })
    t.strictSame(await run('--prune', 'data'), [
      0,
      'terms: 0 added, 0 changed, 0 unchanged, 1 removed\ncontents: 0 added, 0 changed, 1 unchanged, 1 marked deleted\n',
      ''
    ])
  })

  t.test('--check counts, warns, and writes nothing', async t => {
    const before = [await all('contents'), await all('audit'), await all('leases')]
    const run = beside(t, { 'contents.ndjson': lines(film(2, { name: 'New' }), { id: 3, type: 'season', name: 'S' }) })
    const [status, counts, warnings] = await run('--check', 'data')
    t.strictSame([status, counts], [0, 'contents: 1 added, 1 changed, 0 unchanged\n'])
    t.equal(warnings, 'warning: data/contents.ndjson:2: parent_id: is missing: this season is on no page of a show\n')
    const runWrong = beside(t, { 'contents.ndjson': lines(film(2, { name: 5 })) })
    t.strictSame(await runWrong('--check', 'data'), [1, '', 'data/contents.ndjson:1: name: must be a string\nNothing was imported.\n'])
    t.strictSame([await all('contents'), await all('audit'), await all('leases')], before)
  })

  t.test('names faults on stderr and leaves with 1', async t => {
    const before = await all('contents')
    const run = beside(t, { 'contents.ndjson': lines(film(7), film(8, { name: 5, colour: 'red' })) })
    t.strictSame(await run('data'), [
      1,
      '',
      'data/contents.ndjson:2: colour: is not a field of contents\ndata/contents.ndjson:2: name: must be a string\nNothing was imported.\n'
    ])
    t.strictSame(await all('contents'), before)
  })

  t.test('says how it is used', async t => {
    const run = beside(t, {})
    const [status, , help] = await run()
    t.equal(status, 1)
    t.match(help, /^Usage: node \S+import\.js PATH\.\.\. \[--prune\] \[--check\]\n/)
    const [wrong, , reason] = await run('--purge', 'data')
    t.equal(wrong, 1)
    t.match(reason, /^Unknown option '--purge'(.|\n)*\nUsage: /)
    const runWithoutDashes = beside(t, files, { npm_config_check: 'true' })
    t.match(await runWithoutDashes('data'), [1, '', /^npm has taken --check for itself: write -- before the arguments\nUsage: /])
  })

  t.test('says which setting is missing, and that the database is away', async t => {
    const { run } = inFolder(t, files)
    t.match(await run('data'), { status: 1, out: '', err: /^MONGO_URL is not set: / })
    t.match(await away, {
      status: 1,
      out: '',
      err: /^The database does not respond: .*\nRun the command again to complete the import\.\n$/
    })
  })

  t.test('needs the issuer of users with a sub', async t => {
    const run = beside(t, { 'users.ndjson': lines({ id: 1, sub: 'x' }) })
    t.strictSame(await run('data'), [1, '', 'data/users.ndjson:1: sub: needs the setting JWT_ISSUER\nNothing was imported.\n'])
  })

  t.test('records each file', async t => {
    const records = await all('audit')
    const of = (wanted: string) => records.filter(({ outcome }) => outcome === wanted).map(({ action, subject }) => [action, subject])
    t.strictSame(
      new Set(of('done').map(String)),
      new Set(['import terms,terms.json', 'import contents,contents.ndjson', 'import terms,terms.ndjson'])
    )
    t.strictSame(of('refused').sort(), [
      ['import contents', 'contents.ndjson'],
      ['import users', 'users.ndjson']
    ])
    t.strictSame(of('failed'), [])
    t.ok(records.every(({ actor }) => actor === operator()))
    const run = beside(t, {})
    t.match(await run('nothing'), [1, '', /^nothing: does not exist/])
    const [missing] = (await all('audit')).filter(({ action }) => action === 'import')
    t.match(missing, { subject: null, outcome: 'refused' })
  })
})

t.test('waits for another import, and says so', async t => {
  const { url, db } = await importer(t)
  const { start } = inFolder(t, { 'contents.ndjson': lines(film(1)) }, url)
  const second = await leasesOf(db).withLease(catalogueLease, async () => {
    const { child, end } = start('data')
    const [said] = await once(child.stderr, 'data')
    t.equal(String(said), 'Another import is running. Waiting for it to end.\n')
    t.equal(await db.collection('contents').countDocuments(), 0)
    return { end }
  })
  t.match(await second?.end(), { status: 0, out: 'contents: 1 added, 0 changed, 0 unchanged\n' })
})

t.test('an import that loses its turn says so, and writes nothing more', async t => {
  const { url, all, db } = await importer(t)
  const count = 40_000
  const { folder, start } = inFolder(t, {}, url)
  const path = join(folder, 'contents.ndjson')
  await writeFile(path, lines(...Array.from({ length: count }, (_, at) => film(at + 1))))
  const { end } = start(path)
  while ((await db.collection('contents').estimatedDocumentCount()) === 0) await new Promise(resolve => setTimeout(resolve, 20))
  await db.collection<{ _id: string }>('leases').updateOne({ _id: catalogueLease }, [{ $set: { expires_at: '$$NOW' } }])
  // On a slow machine, its progress comes first.
  t.match(await end(), {
    status: 1,
    out: /^$/,
    err: /^The import lost its lease because the database did not respond for a minute: run the command again to complete it\.\n$/m
  })
  const written = (await all('contents')).length
  t.ok(written > 0 && written < count && written % 1000 === 0, `${written} are written`)
  await rm(path)
})

t.test('Ctrl-C ends the batch under way, and a second run completes the import', async t => {
  const { url, all, db } = await importer(t)
  const count = 20_000
  const { folder, start, run } = inFolder(t, {}, url)
  const path = join(folder, 'contents.ndjson')
  await writeFile(path, lines(...Array.from({ length: count }, (_, at) => film(at + 1))))

  const { child, end } = start(path)
  while ((await db.collection('contents').estimatedDocumentCount()) === 0) await new Promise(resolve => setTimeout(resolve, 20))
  child.kill('SIGINT')
  const { status, out, err } = await end()
  const written = (await all('contents')).length
  t.equal(status, 130)
  t.ok(written > 0 && written < count, `${written} are written`)
  t.equal(written % 1000, 0, 'the batch was finished')
  t.equal(out, `contents: ${written} added, 0 changed, 0 unchanged\n`)
  // On a slow machine, its progress comes first.
  t.match(err, /^Stopped\. Run the command again to complete the import\.\n$/m)

  t.match(await run(path), { status: 0, out: `contents: ${count - written} added, 0 changed, ${written} unchanged\n` })
  const records = await db.collection('audit').find().sort({ at: 1 }).toArray()
  t.match(records, [{ outcome: 'failed' }, { outcome: 'done' }])
  t.equal(await db.collection('contents').countDocuments(), count)
  await rm(path)
})
