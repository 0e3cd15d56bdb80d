import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { addUser, build } from '../helpers/app.js'
import { commandsIn } from '../helpers/commands.js'
import { databaseOf, databaseUrl } from '../helpers/database.js'
import { folderOf } from '../helpers/folder.js'

// test/service/restore.test.ts uses the command for a whole restore.
t.test('npm run restore', async t => {
  const url = await databaseUrl(t)
  const app = await build(t, { url })
  const folder = folderOf(t)
  const run = commandsIn(t, url)
  const restore = (...args: string[]) => run('restore', args, { cwd: folder })

  const wrong = [[], ['save'], ['save', 'a', '--lost'], ['finish'], ['finish', 'a', '--lost'], ['begin', 'a']]
  for (const { err, status } of await Promise.all(wrong.map(args => restore(...args)))) {
    t.equal(status, 1)
    t.match(err, /^Usage: .*restore/)
  }
  await writeFile(join(folder, 'other.ndjson'), '{"id":1}\n')
  await writeFile(join(folder, 'broken.ndjson'), '{"collection":"use')
  for (const [file, reason] of [
    ['other.ndjson', 'other.ndjson was not written by save'],
    ['broken.ndjson', 'broken.ndjson was not written by save'],
    ['nothing.ndjson', /ENOENT.*nothing\.ndjson/]
  ] as const) {
    const { err, status } = await restore('finish', file)
    t.equal(status, 1)
    t.match(err, reason)
    t.equal(err.trim().split('\n').length, 1)
  }
  t.match((await restore('save', '.')).err, /is a folder/)
  t.equal(await app.data.restores.lastAt(), 0, 'a wrong file finishes no restore')

  const many = Array.from({ length: 1100 }, (_, i) => `{"collection":"erasures","_id":${i + 1000},"fields":{"sweeps":3}}\n`)
  await writeFile(join(folder, 'many.ndjson'), many.join(''))
  t.strictSame(JSON.parse((await restore('finish', 'many.ndjson')).out), {
    finished: true,
    brought_back: { erasures: 1100, users: 0, audit: 0 }
  })
  t.equal((await app.data.erasures.among([1000, 2099])).size, 2)
  const before = await app.data.restores.lastAt()
  t.strictSame(JSON.parse((await restore('finish', '--lost')).out), { finished: true })
  t.ok((await app.data.restores.lastAt()) > before)
  t.ok((await addUser(app))._id > 2e9)

  // A restore of a backup that has no record.
  const audit = databaseOf(app).collection('audit')
  const { saved } = JSON.parse((await restore('save', 'notes.ndjson')).out)
  const recorded = await audit.find().sort({ at: 1 }).toArray()
  t.equal(saved.audit, recorded.length)
  t.strictSame(recorded.map(({ action, subject, outcome }) => [action, subject, outcome]).slice(-4), [
    ['restore save', '.', 'failed'],
    ['restore finish', 'many.ndjson', 'done'],
    ['restore finish', null, 'done'],
    ['restore save', 'notes.ndjson', 'done']
  ])
  await audit.deleteMany({})
  t.match(JSON.parse((await restore('finish', 'notes.ndjson')).out), { brought_back: { audit: saved.audit } })
  const after = await audit.find().sort({ at: 1 }).toArray()
  t.strictSame(after.slice(0, -1), recorded, 'what was recorded since the backup, and the save itself')
  t.match(after.at(-1), { action: 'restore finish', subject: 'notes.ndjson', outcome: 'done' })
})
