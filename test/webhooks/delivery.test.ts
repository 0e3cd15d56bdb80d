import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { connectionTo } from '../../src/database/connection.js'
import { restoresOf } from '../../src/database/restores.js'
import { Delivery, longestFailure, retryDelays } from '../../src/webhooks/delivery.js'
import type { Change } from '../../src/webhooks/events.js'
import { agentFor, attempt, type Endpoint, endpointsOf, newEndpointId, outboxOf } from '../../src/webhooks/index.js'
import { intakeOf } from '../../src/webhooks/intake.js'
import type { OutboxDocument } from '../../src/webhooks/outbox.js'
import { type App, build } from '../helpers/app.js'
import { databaseOf, databaseUrl } from '../helpers/database.js'
import { proxyTo } from '../helpers/proxy.js'
import { replicaSet } from '../helpers/replica-set.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'
import { accept, addEndpoint, buildOnSet, isGenuine, metric, type Receiver, receiver, status } from './helper.js'

const outboxIn = (app: App) => databaseOf(app).collection<OutboxDocument>('webhook_events')
/** An event. */
const join = async (app: App) => (await viewerOf(app)).id

const waitingOf = (app: App, id: string) =>
  outboxIn(app)
    .find({ '_id.endpoint': id, due_at: { $exists: true } } as object)
    .toArray()
const makeDue = (app: App, id: string) => outboxIn(app).updateMany({ '_id.endpoint': id } as object, { $set: { due_at: new Date() } })

t.test('what an endpoint does not accept is sent again', async t => {
  const log: string[] = []
  const { app } = await buildOnSet(t, { log })
  const to: Receiver = await receiver(t, status(500))
  const { id, secret } = await addEndpoint(app, to)
  const endpoints = endpointsOf(databaseOf(app))

  await join(app)
  await until(() => to.deliveries.length === 2)
  const [first, second] = to.deliveries
  t.ok(Number(second?.at) - Number(first?.at) >= 5000 && Number(second?.at) - Number(first?.at) < 9000, 'after 5 s')
  t.strictSame([second?.id, second?.body], [first?.id, first?.body], 'unchanged')
  t.ok([first, second].every(one => one && isGenuine(secret, one)))
  t.not(first?.headers['webhook-timestamp'], second?.headers['webhook-timestamp'], 'with the time of the attempt')
  await until(async () => (await waitingOf(app, id))[0]?.attempts === 2)
  const [waiting] = await waitingOf(app, id)
  const dueIn = Number(waiting?.due_at) - Date.now()
  t.ok(dueIn > 280_000 && dueIn < 331_000, 'then after five minutes')
  t.equal(
    retryDelays.reduce((sum, delay) => sum + delay, 0),
    (75 * 60 + 35) * 60_000 + 5000
  )

  t.test('and an answer that redirects, or does not end, is none', async t => {
    const elsewhere = await receiver(t)
    for (const [what, answer] of [
      ['a redirect', status(307, { location: elsewhere.url })],
      ['a connection that ends', response => response.destroy()],
      [
        'a body that ends too early',
        response => void response.writeHead(200, { 'content-length': 5 }).write('ab', () => response.destroy())
      ]
    ] as [string, Parameters<Receiver['answer']>[0]][]) {
      const before = to.deliveries.length
      to.answer(answer)
      await makeDue(app, id)
      await until(() => to.deliveries.length > before)
      await until(async () => (await waitingOf(app, id)).length === 1 && Number((await waitingOf(app, id))[0]?.due_at) > Date.now())
      t.equal(to.deliveries.at(-1)?.id, first?.id, what)
    }
    t.same(elsewhere.deliveries, [])
  })

  t.test('until it is delivered', async t => {
    await until(async () => (await metric(app, 'webhook_events_waiting')) === 1)
    t.ok((await metric(app, 'webhook_oldest_waiting_seconds')) > 5)
    to.answer((response, _, request) => {
      response.on('error', () => undefined)
      request.on('error', () => undefined)
      response.writeHead(200)
      for (let i = 0; i < 40; i++) response.write(Buffer.alloc(64 * 1024))
    })
    await makeDue(app, id)
    await until(async () => (await waitingOf(app, id)).length === 0)
    t.pass('a response that has no end was not read to one')
    await until(async () => (await metric(app, 'webhook_events_waiting')) === 0)
    t.equal(await metric(app, 'webhook_deliveries_total'), 1)
    t.ok((await metric(app, 'webhook_failures_total')) >= 5)
  })

  t.test('and 410 disables the endpoint, whose events then wait', async t => {
    to.answer(status(410))
    await join(app)
    await until(async () => (await endpoints.byId(id))?.disabled !== undefined)
    t.match(await endpoints.byId(id), { disabled: { at: Date, reason: 'HTTP 410' } })
    await until(() => log.some(line => line.includes('was disabled')))
    t.match(
      log.filter(line => line.includes('was disabled')).map(line => JSON.parse(line)),
      [{ level: 40, endpoint: id, reason: 'HTTP 410' }]
    )
    await until(async () => (await metric(app, 'webhook_endpoints_disabled')) === 1)
    const before = to.deliveries.length
    await join(app)
    await until(async () => (await waitingOf(app, id)).length === 2)
    await sleep(1500)
    t.equal(to.deliveries.length, before)

    to.answer(accept)
    await outboxOf(databaseOf(app)).makeWaitingDue(id)
    await endpoints.enable(id)
    await until(async () => (await waitingOf(app, id)).length === 0)
    t.equal(to.deliveries.length, before + 2)
  })

  t.test('and what was delivered can be sent once more', async t => {
    const delivered = to.deliveries.length
    t.equal(await outboxOf(databaseOf(app)).makeDueAgain(id, new Date(Date.now() + 1000)), 0)
    t.equal(await outboxOf(databaseOf(app)).makeDueAgain(id, new Date(0)), 3)
    await until(() => to.deliveries.length === delivered + 3)
    t.equal(new Set(to.deliveries.map(({ id }) => id)).size, 3, 'under its id')
  })

  t.test('and a new secret signs beside the old one', async t => {
    const rotated = (await endpoints.rotate(id)) as string
    await sleep(2000)
    const before = to.deliveries.length
    await join(app)
    await until(() => to.deliveries.length > before)
    const last = to.deliveries.at(-1)
    t.ok(last && isGenuine(secret, last) && isGenuine(rotated, last))
    await databaseOf(app)
      .collection<{ _id: string }>('webhooks')
      .updateOne({ _id: id }, { $set: { 'earlier.until': new Date() } })
    await sleep(2000)
    await join(app)
    await until(() => to.deliveries.length > before + 1)
    const later = to.deliveries.at(-1)
    t.ok(later && !isGenuine(secret, later) && isGenuine(rotated, later), 'for a day')
  })

  t.test('no log or metric shows a secret, or what the URL says besides the host', async t => {
    const shown = [...log, await app.metricsText()].join('\n')
    t.notOk(/whsec_|hidden|\?key/.test(shown))
  })

  t.test('and a removed endpoint gets nothing more', async t => {
    const db = databaseOf(app)
    await endpoints.remove(id)
    await outboxOf(db).remove(id)
    t.equal(await outboxIn(app).countDocuments(), 0)
    await until(async () => (await db.collection<{ _id: string }>('revisions').countDocuments({ _id: 'webhooks' })) === 0)
    const before = to.deliveries.length
    await join(app)
    await sleep(1500)
    t.equal(to.deliveries.length, before)
    await addEndpoint(app, to)
    await join(app)
    await until(() => to.deliveries.length === before + 1)
  })
})

t.test('an endpoint that hangs or fails delays no other one, nor the end of the process', async t => {
  const { app } = await buildOnSet(t)
  const [good, hanging] = [await receiver(t), await receiver(t, () => undefined)]
  await addEndpoint(app, good)
  await addEndpoint(app, hanging)
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const dead = `http://127.0.0.1:${(closed.address() as { port: number }).port}/`
  closed.close()
  const { id } = await addEndpoint(app, { url: dead })
  const users = Array.from({ length: 150 }, (_, n) => ({
    _id: 5000 + n,
    name: '',
    disabled_at: null,
    created_at: new Date(),
    updated_at: new Date()
  }))
  const began = Date.now()
  await databaseOf(app)
    .collection('users')
    .insertMany(users as never[])
  await until(() => good.deliveries.length === 150)
  t.ok(Date.now() - began < 10_000, `${Date.now() - began} ms`)
  await until(() => hanging.deliveries.length >= 100)
  await sleep(1000)
  t.equal(hanging.deliveries.length, 100, 'so many attempts are under way at most')
  t.equal(hanging.connections(), 100)
  t.ok(good.connections() <= 100, 'connections are used again')
  await until(async () => (await endpointsOf(databaseOf(app)).byId(id))?.failing_since !== undefined)
  // What had begun before ends.
  await sleep(3000)
  const failed = await metric(app, 'webhook_failures_total')
  await sleep(2000)
  const perSecond = ((await metric(app, 'webhook_failures_total')) - failed) / 2
  t.ok(perSecond <= 15, `${perSecond} attempts a second of an endpoint that fails`)
  await until(() => hanging.deliveries.length > 100)
  const closing = performance.now()
  await app.close()
  t.ok(performance.now() - closing < 5000, `closed in ${performance.now() - closing} ms`)
})

t.test('a delivery', async t => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  const to: Receiver = await receiver(t, status(503))
  const endpoints = endpointsOf(db)
  const outbox = outboxOf(db)
  const told: string[] = []

  const deliveryWith = async (count: number, { attempts = 0, failing_since = undefined as Date | undefined, due = outbox.due } = {}) => {
    const id = newEndpointId()
    await endpoints.add(id, { url: to.url, events: undefined, isPrivate: true })
    const at = new Date()
    const add = (from: number, number: number) =>
      outbox.add(
        Array.from({ length: number }, (_, n) => ({
          _id: { endpoint: id, id: `msg_${from + n}` },
          type: 'user.created' as const,
          body: '{}',
          at,
          attempts,
          due_at: at
        }))
      )
    if (count > 0) await add(0, count)
    const endpoint = (await endpoints.byId(id)) as Endpoint
    const delivery = new Delivery(
      { ...endpoint, ...(failing_since && { failing_since }) },
      { outbox: { ...outbox, due }, endpoints, onOutcome: () => undefined, onDisabled: (_id, reason) => told.push(reason) }
    )
    t.teardown(() => delivery.stop())
    const read = async () => (await endpoints.byId(id)) as Endpoint
    const left = () => db.collection('webhook_events').countDocuments({ '_id.endpoint': id, due_at: { $exists: true } })
    return { id, delivery, read, add, left }
  }

  t.test('disables its endpoint after the last attempt of an event', async t => {
    const { delivery, read, left } = await deliveryWith(1, { attempts: retryDelays.length })
    await until(async () => (await read()).disabled !== undefined)
    t.match([(await read()).disabled, told, delivery.isStopped], [{ reason: 'HTTP 503' }, ['HTTP 503'], true])
    t.equal(await left(), 1, 'and keeps the event')
  })

  t.test('and when nothing was delivered for as long as that takes', async t => {
    const { read } = await deliveryWith(2, { failing_since: new Date(Date.now() - longestFailure - 1000) })
    await until(async () => (await read()).disabled !== undefined)
    t.match((await read()).disabled, { reason: 'HTTP 503' })
  })

  t.test('waits while the database is away, and ends nevertheless', async t => {
    const own = connectionTo(await databaseUrl(t))
    const away = outboxOf(own.db)
    const id = newEndpointId()
    await endpoints.add(id, { url: to.url, events: undefined, isPrivate: true })
    const at = new Date()
    await away.add([{ _id: { endpoint: id, id: 'msg_1' }, type: 'user.created', body: '{}', at, attempts: 0, due_at: at }])
    const asked = to.deliveries.length
    let respond = () => {}
    to.answer(response => {
      respond = () => void response.writeHead(200).end()
    })
    const quiet = { onOutcome: () => undefined, onDisabled: () => undefined }
    const delivery = new Delivery((await endpoints.byId(id)) as Endpoint, { outbox: away, endpoints, ...quiet })
    await until(() => to.deliveries.length === asked + 1)
    await own.client.close()
    respond()
    await sleep(4000)
    const began = performance.now()
    await delivery.stop()
    t.ok(performance.now() - began < 5000, `stopped in ${performance.now() - began} ms`)
    to.answer(status(503))
  })

  t.test('disables nothing while the database is away', async t => {
    const own = connectionTo(await databaseUrl(t))
    await own.client.connect()
    await own.client.close()
    const { id, delivery: other } = await deliveryWith(0)
    await other.stop()
    const gone = { ...((await endpoints.byId(id)) as Endpoint), failing_since: new Date(0) }
    const at = new Date()
    await outbox.add([{ _id: { endpoint: id, id: 'msg_9' }, type: 'user.created', body: '{}', at, attempts: 0, due_at: at }])
    const delivery = new Delivery(gone, {
      outbox,
      endpoints: endpointsOf(own.db),
      onOutcome: () => undefined,
      onDisabled: () => t.fail('disabled')
    })
    await until(() => delivery.isStopped, { within: 10_000 })
    await delivery.stop()
    t.match(await endpoints.byId(id), { url: to.url })
  })

  t.test('sends nothing again whose result was written during a slow read', async t => {
    to.answer(accept)
    const before = to.deliveries.length
    let reads = 0
    const due: typeof outbox.due = async (...asked) => {
      const found = await outbox.due(...asked)
      await sleep(500)
      reads++
      return found
    }
    const { left } = await deliveryWith(1, { due })
    await until(async () => (await left()) === 0 && reads >= 3)
    t.equal(to.deliveries.length, before + 1)
    to.answer(status(503))
  })

  t.test('notes that its endpoint fails, and that it no longer does', async t => {
    const { read, add, left, delivery } = await deliveryWith(25)
    await until(async () => (await read()).failing_since !== undefined)
    to.answer(accept)
    await add(100, 1)
    delivery.endpoint = await read()
    delivery.wake()
    await until(async () => (await read()).failing_since === undefined)
    t.ok((await left()) >= 20, 'the others wait for their turn')
  })
})

t.test('what is kept of events', async t => {
  const log: string[] = []
  const { url, app } = await buildOnSet(t, { log })
  const db = databaseOf(app)
  const to: Receiver = await receiver(t)
  const { id } = await addEndpoint(app, to)
  const outbox = outboxOf(db)
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)

  t.test('ends after four days, and what was lost is counted', async t => {
    const event = (n: number, at: Date, more = {}) => ({
      _id: { endpoint: id, id: `msg_${n}` },
      type: 'user.created' as const,
      body: '{}',
      at,
      attempts: 1,
      ...more
    })
    const due_at = new Date(Date.now() + 3_600_000)
    await outbox.add([event(1, ago(5)), event(2, ago(4.1), { due_at }), event(3, ago(3.9), { due_at })])
    await outbox.add([event(3, ago(3.9), { due_at })])
    t.equal(await outbox.prune(id), 1)
    t.strictSame(
      (await outboxIn(app).find().toArray()).map(({ _id }) => _id.id),
      ['msg_3']
    )
    const invalid = { ...event(4, ago(1)), _id: [1] as never }
    await t.rejects(outbox.add([event(3, ago(1)), invalid]), 'other faults are told')
  })

  t.test('goes with an erased user', async t => {
    to.answer(status(500))
    const viewer = await viewerOf(app)
    await viewer.post('/profiles', { name: 'Kid' })
    await until(async () => (await waitingOf(app, id)).filter(({ user_id }) => user_id !== undefined).length >= 2)
    await viewer.remove('/me', { password: 'correct horse battery staple' })
    await until(async () => (await waitingOf(app, id)).every(({ type }) => type !== 'profile.created'))
    await until(async () => (await waitingOf(app, id)).some(({ type }) => type === 'user.erased'))
    t.strictSame([...new Set((await waitingOf(app, id)).map(({ type }) => type))].sort(), ['user.created', 'user.erased'])
    await until(async () => (await waitingOf(app, id)).every(({ user_id }) => user_id !== viewer.id))
  })

  t.test('goes with a restored backup, as does the place in the oplog', async t => {
    const positions = db.collection<{ _id: string }>('revisions')
    await restoresOf(db).finish()
    t.equal(await outboxIn(app).countDocuments(), 0)
    await until(async () => (await positions.countDocuments({ _id: 'webhooks' })) === 1)
    to.answer(accept)
    await sleep(3000)
    const joined = await join(app)
    await until(() => to.deliveries.some(({ data }) => data.user_id === joined))
    t.pass('events go on')
  })

  t.test('and events go on from now where the oplog no longer has it', async t => {
    // The place after an event that never was.
    const stream = db.watch()
    const event = stream.next()
    await until(async () => (await join(app)) > 0 && (await Promise.race([event, sleep(100)])) !== undefined)
    const _data = String(((await event)._id as { _data: string })._data).replace(/5A1004../, '5A100400')
    await stream.close()
    await app.close()
    const { client, db: own } = connectionTo(url)
    t.teardown(() => client.close())
    const positions = own.collection<{ _id: string; position: { _data: string } }>('revisions')
    await positions.updateOne({ _id: 'webhooks' }, { $set: { position: { _data } } })
    const restarted = await build(t, { url, log })
    await until(async () => (await metric(restarted, 'webhook_positions_lost_total')) === 1)
    t.match(
      log.map(line => JSON.parse(line)).filter(({ msg }) => /oplog/.test(msg)),
      [{ level: 50 }]
    )
    await sleep(3000)
    const joined = await join(restarted)
    await until(() => to.deliveries.some(({ data }) => data.user_id === joined))
  })
})

t.test('an attempt says why it has failed', async t => {
  const to = await receiver(t)
  const endpoint = { _id: 'wh_1', url: to.url, secret: 'whsec_MTIz', isPrivate: true, created_at: new Date() }
  const causeAt = async (url: string, isPrivate = true) => {
    const agent = agentFor({ url })
    const { cause } = await attempt({ ...endpoint, url, isPrivate }, { id: 'msg_1', body: '{}' }, agent)
    agent.destroy()
    return cause
  }
  t.equal(await causeAt('http://localhost:1/'), 'ECONNREFUSED')
  t.match(await causeAt(to.url.replace('http', 'https')), /SSL|wrong version/i, 'what is no TLS')
  t.match(await causeAt(to.url, false), /has the private address 127.0.0.1/)
  t.same(to.deliveries, [])
})

t.test('events are told of who is not erased', async t => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  const intake = intakeOf(db)
  const endpoint = { _id: 'wh_1', url: '', secret: '', isPrivate: true, created_at: new Date(0) }
  await db.collection<{ _id: number }>('users').insertMany([{ _id: 1 }, { _id: 2, account_id: 1 } as { _id: number }])
  await db.collection<{ _id: number }>('erasures').insertOne({ _id: 4 })
  const added = (user_id: number): Change => ({
    _id: { _data: String(user_id) },
    operationType: 'insert',
    wallTime: new Date(),
    ns: { coll: 'watchlist' },
    fullDocument: { user_id, content_id: 1, asked_at: new Date() }
  })
  const bodies = async (...users: number[]) => (await intake(users.map(added), [endpoint])).map(({ body }) => JSON.parse(body).data)
  const expected = [
    { user_id: 1, account_id: 1, content_id: 1 },
    { user_id: 2, account_id: 1, content_id: 1 },
    { user_id: 3, account_id: 3, content_id: 1 }
  ]
  t.strictSame(await bodies(1, 2, 3, 4), expected, 'without a document, it is an account')
  t.strictSame(await bodies(1, 2), expected.slice(0, 2), 'what was read is known')
})

t.test('what was lost while nothing delivered is said once', async t => {
  const { url } = await replicaSet(t, 1)
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  const id = newEndpointId()
  const to = await receiver(t)
  await endpointsOf(db).add(id, { url: to.url, events: ['rating.set'], isPrivate: true })
  const old = new Date(Date.now() - 5 * 86_400_000)
  const lost = (n: number) => ({
    _id: { endpoint: id, id: `msg_${n}` },
    type: 'rating.set' as const,
    body: '{}',
    at: old,
    attempts: 0,
    due_at: new Date(Date.now() + 86_400_000)
  })
  await outboxOf(db).add([lost(1), lost(2)])
  const log: string[] = []
  const app = await build(t, { url, log })
  await until(async () => (await metric(app, 'webhook_events_lost_total')) === 2)
  const said = () => log.filter(line => line.includes('webhook events are removed'))
  t.match(
    said().map(line => JSON.parse(line)),
    [{ level: 50, endpoint: id, count: 2 }]
  )
})

t.test('a standalone server has no events, and everything else works', async t => {
  const log: string[] = []
  const app = await build(t, { log })
  await until(() => log.some(line => line.includes('webhooks need a replica set')))
  const to: Receiver = await receiver(t)
  await addEndpoint(app, to)
  const viewer = await viewerOf(app)
  t.equal((await viewer.get('/history')).statusCode, 200)
  await sleep(2000)
  t.same(to.deliveries, [])
  t.equal(log.filter(line => line.includes('webhooks')).length, 1, 'it says so once')
})

t.test('of two processes one delivers, and the other one takes over', async t => {
  const { url } = await replicaSet(t, 1)
  const first = await build(t, { url })
  const to: Receiver = await receiver(t)
  await addEndpoint(first, to)
  await join(first)
  await until(() => to.deliveries.length === 1)
  const second = await build(t, { url })
  for (let n = 0; n < 5; n++) await join(n % 2 === 0 ? first : second)
  await until(() => to.deliveries.length === 6)
  t.equal(await metric(second, 'webhook_deliveries_total'), 0)
  const closing = first.close()
  const began = Date.now()
  const id = await join(second)
  await until(() => to.deliveries.some(({ data }) => data.user_id === id))
  t.ok(Date.now() - began < 5000, `after ${Date.now() - began} ms`)
  await closing
  t.equal(new Set(to.deliveries.map(({ id }) => id)).size, 7)
})

t.test('events wait while the database is away', async t => {
  const { url } = await replicaSet(t, 1)
  const proxy = await proxyTo(t, url)
  const app = await build(t, {
    url: proxy.url.replace('?replicaSet=viewer', '?directConnection=true'),
    settings: { DATABASE_TIMEOUT: '1000' }
  })
  const to: Receiver = await receiver(t)
  await addEndpoint(app, to)
  await join(app)
  await until(() => to.deliveries.length === 1)
  proxy.leave()
  await sleep(3000)
  proxy.comeBack()
  const id = await (async () => {
    for (;;) {
      const joined = await join(app).catch(() => undefined)
      if (joined) return joined
    }
  })()
  await until(() => to.deliveries.some(({ data }) => data.user_id === id))
  t.pass('and are sent afterwards')
})
