import t from 'tap'
import { connectionTo } from '../../src/database/connection.js'
import { auditOf } from '../../src/privacy/audit.js'
import { eventTypes, outboxOf } from '../../src/webhooks/index.js'
import { commandsIn } from '../helpers/commands.js'
import { databaseUrl } from '../helpers/database.js'
import { isGenuine, type Receiver, receiver, status } from '../webhooks/helper.js'

t.test('npm run webhook', async t => {
  const url = await databaseUrl(t)
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  const to: Receiver = await receiver(t)

  const run = commandsIn(t, url)
  const webhook = async (...args: string[]) => {
    const { out, err, status: code } = await run('webhook', args)
    return {
      out,
      err,
      code,
      lines: () =>
        out
          .trim()
          .split('\n')
          .filter(Boolean)
          .map(line => JSON.parse(line))
    }
  }
  const add = (...more: string[]) => webhook('add', to.url, '--insecure', '--private', ...more)

  const added = await add()
  t.match([added.code, added.err], [0, /replica set/], 'it says what a standalone server lacks')
  const [{ id, secret }] = added.lines()
  t.match([id, secret], [/^wh_/, /^whsec_[A-Za-z0-9+/]{43}=$/])
  const [some] = (await add('--events', 'rating.set, user.created,rating.set')).lines()

  t.test('lists endpoints without their secrets', async t => {
    const listed = await webhook('list')
    t.strictSame(listed.lines(), [
      { id, url: to.url, events: [...eventTypes], disabled: null },
      { id: some.id, url: to.url, events: ['rating.set', 'user.created'], disabled: null }
    ])
    await db.collection<{ _id: string }>('webhooks').updateOne({ _id: id }, { $set: { disabled: { at: new Date(0), reason: 'HTTP 410' } } })
    t.match((await webhook('list')).lines()[0], { disabled: { at: '1970-01-01T00:00:00.000000Z', reason: 'HTTP 410' } })
    t.strictSame((await webhook('enable', id)).lines(), [{ id, enabled: true }])
    t.match((await webhook('list')).lines()[0], { disabled: null })
  })

  t.test('sends a test at once, whatever the filter', async t => {
    t.strictSame((await webhook('test', some.id)).lines(), [{ id: some.id, delivered: true, status: 204 }])
    const [delivery] = to.of('webhook.test')
    t.ok(delivery && isGenuine(some.secret, delivery))
    to.answer(status(404))
    const failed = await webhook('test', some.id)
    t.strictSame([failed.code, failed.out, failed.err], [1, '', 'webhook.test was not delivered: HTTP 404\n'])
    const other = (await webhook('add', 'http://127.0.0.1:1/', '--insecure', '--private')).lines()[0]
    t.match(await webhook('test', other.id), { code: 1, err: /ECONNREFUSED/ })
    t.equal((await webhook('remove', other.id)).code, 0)
  })

  t.test('makes a new secret, which signs beside the old one', async t => {
    to.answer(status(200))
    const [rotated] = (await webhook('rotate', id)).lines()
    t.match(rotated, { id, secret: /^whsec_/ })
    await webhook('test', id)
    const delivery = to.deliveries.at(-1)
    t.ok(delivery && isGenuine(secret, delivery) && isGenuine(rotated.secret, delivery))
  })

  t.test('sends once more what was delivered since', async t => {
    const event = { type: 'user.created' as const, body: '{}', attempts: 1 }
    await outboxOf(db).add([
      { ...event, _id: { endpoint: id, id: 'msg_1' }, at: new Date('2026-01-01') },
      { ...event, _id: { endpoint: id, id: 'msg_2' }, at: new Date('2026-01-02T12:00:00Z') }
    ])
    t.strictSame((await webhook('redeliver', id, '--since', '2026-01-02')).lines(), [{ id, redelivered: 1 }])
    t.strictSame((await webhook('redeliver', id, '--since', '2026-01-01T00:00:00Z')).lines(), [{ id, redelivered: 1 }])
  })

  t.test('removes an endpoint with what waits', async t => {
    t.strictSame((await webhook('remove', id)).lines(), [{ id, removed: true }])
    t.strictSame(
      (await webhook('list')).lines().map(({ id }) => id),
      [some.id]
    )
    t.equal(await db.collection('webhook_events').countDocuments(), 0)
  })

  t.test('refuses what it does not know', async t => {
    for (const [args, sentence] of [
      [[], /^Usage: /],
      [['list', id], /^Usage: /],
      [['add', 'https://a.example', 'b'], /^Usage: /],
      [['enable'], /^Usage: /],
      [['add', 'http://example.com'], /--insecure/],
      [['add', 'https://10.0.0.1'], /--private/],
      [['add', to.url, '--insecure', '--private', '--events', 'user.created,nothing'], /^There is no event nothing\nUsage/],
      [['redeliver', some.id], /^redeliver needs --since TIME\n/],
      [['redeliver', some.id, '--since', 'yesterday'], /^--since yesterday is not a time\n/],
      [['rotate', id], new RegExp(`^There is no endpoint ${id}\n$`)],
      [['test', id], /^There is no endpoint/],
      [['list', '--all'], /Unknown option/]
    ] as [string[], RegExp][])
      t.match(await webhook(...args), { code: 1, out: '', err: sentence }, args.join(' '))
  })

  t.test('leaves a record of what has changed something', async t => {
    const records = await auditOf(db, 1).since(new Date(0)).toArray()
    t.strictSame([...new Set(records.map(({ action }) => action))].sort(), [
      'webhook add',
      'webhook enable',
      'webhook redeliver',
      'webhook remove',
      'webhook rotate'
    ])
    t.match(
      records.find(({ action }) => action === 'webhook add'),
      { subject: id, outcome: 'done' }
    )
    t.match(records.at(-1), { action: 'webhook rotate', subject: id, outcome: 'refused' })
    t.notOk(JSON.stringify(records).includes('whsec_'))
  })
})
