import { once } from 'node:events'
import t, { type Test } from 'tap'
import { operator } from '../../scripts/command-line.js'
import { ensureCollections } from '../../src/database/collections.js'
import { connectionTo } from '../../src/database/connection.js'
import { auditOf, Refusal } from '../../src/privacy/audit.js'
import { commandsIn, startCommand } from '../helpers/commands.js'
import { proxyTo } from '../helpers/proxy.js'
import { built } from '../helpers/run.js'
import { until } from '../helpers/until.js'
import { importer } from '../import/helper.js'

const day = 86_400_000

const user = (t: Test, url: string, args: string[], settings = {}) =>
  startCommand(t, built('scripts/user.js'), args, { settings: { MONGO_URL: url, ...settings } })

t.test('what is done with privilege', async t => {
  const { url, db, all } = await importer(t)
  const audit = auditOf(db, 30)
  // It waits for the database, beside all others.
  const away = user(t, 'mongodb://127.0.0.1:1/x', ['disable', '7']).end()
  const act = (action: string) => [{ action, subject: 7 }]

  t.test('has a record from its first moment, which says how it ended', async t => {
    const ended = await audit.during('$grace@host', act('user disable'), async () => {
      t.match(await all('audit'), [{ action: 'user disable', outcome: 'failed' }], 'what is killed has failed')
      return 5
    })
    t.equal(ended, 5)
    const [record] = await all('audit')
    t.match(record, { at: Date, action: 'user disable', actor: '$grace@host', subject: 7, outcome: 'done' })
    t.equal(record?.expires_at - record?.at, 30 * day)
    t.ok(Math.abs(record?.at - Date.now()) < day)

    const refuse = async () => {
      throw new Refusal('no')
    }
    await t.rejects(audit.during('grace@host', act('user enable'), refuse), { message: 'no' })
    const fail = async () => {
      throw new Error('it broke')
    }
    await t.rejects(audit.during('grace@host', act('user erase'), fail), { message: 'it broke' })
    t.strictSame((await audit.since(new Date(0)).toArray()).map(({ action, outcome }) => [action, outcome]).sort(), [
      ['user disable', 'done'],
      ['user enable', 'refused'],
      ['user erase', 'failed']
    ])
  })

  t.test('is not done while the database is away', async t => {
    const { err, status } = await away
    t.equal(status, 1)
    t.match(err, /^The database does not respond: /)
  })

  t.test('is refused with its own reason, also where that cannot be recorded', async t => {
    const proxy = await proxyTo(t, url)
    const { client, db } = connectionTo(proxy.url, { serverSelectionTimeoutMS: 100 })
    t.teardown(() => client.close())
    const refuse = async () => {
      proxy.leave()
      throw new Refusal('no')
    }
    await t.rejects(auditOf(db, 30).during('grace@host', act('user password'), refuse), { message: 'no' })
    t.match(await all('audit'), { length: 4 })
  })

  t.test('is recorded where the command is killed', async t => {
    const { child } = user(t, url, ['add', 'grace@example.com'])
    await until(async () => (await all('audit')).length === 5)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const killed = (await all('audit')).filter(({ action }) => action === 'user add')
    t.match(killed, [{ actor: operator(), subject: null, outcome: 'failed' }])
  })

  t.test('is deleted by the database in its time', async t => {
    await ensureCollections(db)
    const indexes = await db.collection('audit').indexes()
    t.ok(indexes.some(({ key, expireAfterSeconds }) => key.expires_at === 1 && expireAfterSeconds === 0))
    const before = Date.now()
    await user(t, url, ['enable', '7'], { AUDIT_DAYS: '2' }).end()
    const [record] = await db.collection('audit').find().sort({ at: -1 }).toArray()
    t.match(record, { action: 'user enable', outcome: 'refused' })
    t.equal(record?.expires_at - record?.at, 2 * day)
    t.ok(record?.at >= before - day)
  })
})

t.test('npm run audit', async t => {
  const { url, db } = await importer(t)
  const records = [
    { at: new Date('2026-01-31T12:00:00Z'), action: 'import', actor: '203.0.113.9', subject: null, outcome: 'refused', attempts: 12 },
    { at: new Date('2026-01-30T12:00:00Z'), action: 'user disable', actor: 'grace@host', subject: 7, outcome: 'done' },
    { at: new Date('2026-02-01T00:00:00Z'), action: 'import', actor: '203.0.113.9', subject: null, outcome: 'refused', attempts: 1 }
  ]
  await db.collection('audit').insertMany(structuredClone(records))
  const run = commandsIn(t, url)
  const audit = (...args: string[]) => run('audit', args)
  const texts = [
    '2026-01-30T12:00:00.000Z  done     user disable  7  grace@host\n',
    '2026-01-31T12:00:00.000Z  refused  import  -  203.0.113.9  12 wrong keys\n',
    '2026-02-01T00:00:00.000Z  refused  import  -  203.0.113.9  1 wrong key\n'
  ]
  const [plain, since, day, json, ...wrong] = await Promise.all([
    audit(),
    audit('--since', '2026-01-31T13:00:00+01:00'),
    audit('--since', '2026-02-01'),
    audit('--json'),
    audit('--since', 'yesterday'),
    audit('--since'),
    audit('7')
  ])
  t.strictSame(plain, { out: texts.join(''), err: '', status: 0 }, 'the oldest first')
  t.equal(since.out, texts.slice(1).join(''))
  t.equal(day.out, texts[2])
  const inOrder = [records[1], records[0], records[2]]
  t.equal(json.out, inOrder.map(record => `${JSON.stringify(record)}\n`).join(''))
  for (const { err, status } of wrong) {
    t.equal(status, 1)
    t.match(err, /^.+\nUsage: .*audit/)
  }
})
