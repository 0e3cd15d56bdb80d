import { mock } from 'node:test'
import { Binary, type Document, MongoNetworkError, ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import { connectionTo } from '../../src/database/connection.js'
import { type CounterDocument, counterOf } from '../../src/database/counters.js'
import { isUnavailable } from '../../src/database/faults.js'
import { type Lease as HeldLease, leasesOf } from '../../src/database/leases.js'
import type { RestoreNote } from '../../src/database/restores.js'
import { type ModelDocument, recommendationModelsOf } from '../../src/recommendations/model-documents.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { addUser, build, buildWith, signIn } from '../helpers/app.js'
import { change, databaseOf, databaseUrl } from '../helpers/database.js'
import { historyDocument, term } from '../helpers/documents.js'
import { tick, until } from '../helpers/until.js'

t.test('a counter gives no id twice, and none that is not exact', async t => {
  const app = await build(t)
  const db = databaseOf(app)
  const counter = counterOf(db, 'terms')
  const last = Number.MAX_SAFE_INTEGER
  await counter.moveTo(last - 3)
  t.equal(await counter.nextBlock(2), last - 2)
  t.equal(await counter.next(), last)
  for (let i = 0; i < 3; i++) await t.rejects(counter.next(), { message: 'The counter of terms has run out of ids' })
  await t.rejects(counter.nextBlock(5))
  t.match(await db.collection<CounterDocument>('counters').findOne({ _id: 'terms' }), { last }, 'nor does it overflow')
})

t.test('the views of many contents come in portions that do not hold up other callers', async t => {
  const app = await buildWith(t, {})
  const elements = Array.from({ length: 2500 }, (_, i) =>
    historyDocument({ _id: new ObjectId(), user_id: 1, content_id: i + 1, time: 5, updated_at: new Date() })
  )
  await databaseOf(app).collection<HistoryDocument>('history').insertMany(elements)
  const views = app.data.allHistories.views(new Date(0), 1000)
  t.match(await views.next(), { views: Number, country: null })
  t.ok(views.bufferedCount() < 1000)
  t.equal((await views.toArray()).length, 2499)
})

t.test('what a restore must not undo is written down and brought back', async t => {
  const app = await build(t)
  const { data } = app
  const erasures = databaseOf(app).collection<{ _id: number; at: Date; subject?: string }>('erasures')
  const [kept, disabled, changed] = [await addUser(app), await addUser(app), await addUser(app)]
  const at = new Date(Date.now() - 3_600_000)
  await erasures.insertOne({ _id: 99, at, subject: 'a hash' })
  await data.users.disable(disabled._id)
  await data.users.setPassword(changed.email, 'another hash')

  const notes: RestoreNote[] = []
  for await (const note of data.restores.notes()) notes.push(note)
  t.match(notes, [
    { collection: 'erasures', _id: 99 },
    { collection: 'users', _id: disabled._id },
    { collection: 'users', _id: changed._id }
  ])
  t.equal(notes.length, 3)

  // The backup is older than one of the users.
  await erasures.deleteMany({})
  await data.users.enable(disabled._id)
  await data.users.remove(changed._id)
  await data.restores.apply(notes)
  t.strictSame(await erasures.find().toArray(), [{ _id: 99, at, subject: 'a hash' }])
  t.ok((await data.users.byId(disabled._id))?.disabled_at)
  t.equal((await data.users.byId(kept._id))?.disabled_at, null)
  t.equal(await data.users.byId(changed._id), null, 'removed users stay removed')

  await data.restores.apply(notes.filter(({ _id }) => _id === disabled._id))
  await data.restores.finish()
  t.match(await erasures.findOne({ _id: 99 }), { sweep_at: Date, sweeps: 0 }, 'the data that the backup has of them is removed again')
  for (const name of ['users', 'watchlist', 'terms'] as const) t.ok((await counterOf(databaseOf(app), name).next()) > 1e9, name)
})

t.test('a process that served meanwhile learns of the restore', async t => {
  const app = await build(t)
  const user = await addUser(app)
  const headers = await signIn(app, user)
  const ask = async (of: typeof headers, since = '') => app.inject({ url: `/changes${since && `?since=${since}`}`, headers: of })
  const { cursor } = (await ask(headers)).json().data
  t.equal(await app.data.restores.lastAt(), 0)
  await change(app, 'terms', 1, term(1))
  await until(async () => (await app.inject('/terms/1')).statusCode === 200)

  // The restore must be in a later second than the token and the cursor, to count them as older.
  const second = Math.floor(Date.now() / 1000)
  await until(() => Date.now() / 1000 > second + 1)
  await databaseOf(app)
    .collection('terms')
    .insertOne(term(2) as Document)
  const erased = await addUser(app)
  await databaseOf(app).collection<{ _id: number }>('erasures').insertOne({ _id: erased._id })
  await app.data.restores.finish()
  await until(async () => (await ask(headers)).statusCode === 401)
  await until(async () => (await app.inject('/terms/2')).statusCode === 200)
  await until(async () => (await app.data.users.byId(erased._id)) === null)
  await tick()
  const again = await signIn(app, user)
  const page = (await ask(again, cursor)).json().data
  t.equal(page.reset, true)
  t.equal((await ask(again, page.cursor)).json().data.reset, false)
})

interface Chunk {
  _id: { model: ObjectId; n: number }
  bytes: Binary
}

const store = async (t: Test) => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  const chunks = db.collection<Chunk>('model_chunks')
  return {
    models: recommendationModelsOf(db),
    documents: db.collection<ModelDocument>('models'),
    chunks,
    owners: async () => [...new Set((await chunks.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => String(_id.model)))]
  }
}

const about = (given: Partial<Omit<ModelDocument, 'trained_at'>> = {}) => ({ format: 1, elements: 5, summary: {}, ...given })
/** Bytes that differ by their position. */
const bytesOf = (size: number) => new Uint8Array(size).map((_, i) => (i * 31) ^ (i >> 8))
const large = 5 * 1024 * 1024 + 3

t.test('a model is kept in chunks and comes out as it went in', async t => {
  const { models, chunks, documents } = await store(t)
  t.equal(await models.latest(1), null)
  for (const size of [0, 1, 2 * 1024 * 1024, large]) {
    const bytes = bytesOf(size)
    const _id = await models.save(about(), bytes)
    const latest = await models.latest(1)
    t.strictSame(latest?._id, _id)
    t.equal(latest?.size, size)
    t.ok(Buffer.from((await models.bytes(latest as ModelDocument)) as ArrayBuffer).equals(bytes), `${size} bytes`)
    t.equal(await documents.countDocuments(), 1)
    t.equal(await chunks.countDocuments(), Math.ceil(size / (2 * 1024 * 1024)))
  }
})

t.test('saving a model removes the one before, and what a crash has left', async t => {
  const { models, documents, chunks, owners } = await store(t)
  await models.save(about(), bytesOf(large))
  // Chunks of a training that was killed before it stored the document of its model.
  const orphan = new ObjectId()
  for (const n of [0, 1, 2]) await chunks.insertOne({ _id: { model: orphan, n }, bytes: new Binary(bytesOf(10)) })
  t.not(String((await models.latest(1))?._id), String(orphan), 'an unfinished model is never used')
  const _id = await models.save(about(), bytesOf(large))
  t.strictSame(await owners(), [String(_id)])
  t.strictSame(
    (await documents.find().toArray()).map(({ _id }) => String(_id)),
    [String(_id)]
  )
})

t.test('the one that was saved last is the latest, whatever the clocks of the trainers say', async t => {
  const { models, documents, chunks, owners } = await store(t)
  await models.save(about(), bytesOf(3))
  // As a process whose clock is an hour ahead would save it. Within a second, it would be chance which id is greater.
  const ahead = ObjectId.createFromTime(Math.floor(Date.now() / 1000) + 3600)
  await documents.insertOne({ _id: ahead, ...about(), trained_at: new Date(), size: 1 })
  await chunks.insertOne({ _id: { model: ahead, n: 0 }, bytes: new Binary(bytesOf(1)) })
  const _id = await models.save(about({ elements: 9 }), bytesOf(3))
  t.strictSame((await models.latest(1))?._id, _id)
  t.strictSame(await owners(), [String(_id)])
  t.equal(await documents.countDocuments(), 1)
  const next = await models.save(about({ elements: 10 }), bytesOf(3))
  t.strictSame((await models.latest(1))?._id, next)
})

t.test('processes of two versions with different formats leave each other’s models alone', async t => {
  const { models, documents, owners } = await store(t)
  const one = await models.save(about({ format: 1 }), bytesOf(10))
  const two = await models.save(about({ format: 2 }), bytesOf(20))
  t.strictSame((await models.latest(1))?._id, one)
  t.strictSame((await models.latest(2))?._id, two)
  t.equal((await models.bytes((await models.latest(1)) as ModelDocument))?.byteLength, 10, 'the model has its bytes')
  const newer = await models.save(about({ format: 1 }), bytesOf(11))
  t.strictSame((await owners()).sort(), [String(two), String(newer)].sort())
  t.equal((await models.bytes((await models.latest(2)) as ModelDocument))?.byteLength, 20)

  await documents.updateOne({ _id: two }, { $set: { trained_at: new Date(Date.now() - 31 * 86_400_000) } })
  const last = await models.save(about({ format: 1 }), bytesOf(11))
  t.strictSame(await owners(), [String(last)], 'until no process has stored one of the other format for a month')
  t.equal(await models.latest(2), null)
})

t.test('a model with missing chunks has no bytes', async t => {
  const { models, chunks } = await store(t)
  const _id = await models.save(about(), bytesOf(large))
  const latest = (await models.latest(1)) as ModelDocument
  const chunkOf = (n: number) => ({ _id: { model: _id, n } })
  await chunks.updateOne(chunkOf(2), { $set: { bytes: new Binary(bytesOf(1024 * 1024 + 2)) } })
  t.equal(await models.bytes(latest), undefined, 'one byte too few')
  await chunks.updateOne(chunkOf(2), { $set: { bytes: new Binary(bytesOf(1024 * 1024 + 4)) } })
  t.equal(await models.bytes(latest), undefined, 'one byte too many')
  await chunks.insertOne({ ...chunkOf(3), bytes: new Binary(bytesOf(1024)) })
  t.equal(await models.bytes(latest), undefined, 'one chunk too many')
  await chunks.deleteOne(chunkOf(3))
  await chunks.deleteOne(chunkOf(1))
  t.equal(await models.bytes(latest), undefined, 'one chunk too few')
  await chunks.deleteMany()
  t.equal(await models.bytes(latest), undefined, 'no chunk at all')
})

interface Lease {
  _id: string
  holder: string
  expires_at: Date
}

t.test('what one process at a time may do', async t => {
  const url = await databaseUrl(t)
  const processes = [connectionTo(url), connectionTo(url)] as const
  t.teardown(() => Promise.all(processes.map(({ client }) => client.close())))
  const [one, other] = [leasesOf(processes[0].db), leasesOf(processes[1].db)]
  const leases = processes[0].db.collection<Lease>('leases')
  const expiry = async (name: string) => (await leases.findOne({ _id: name }))?.expires_at.getTime() ?? 0
  /** By the clock of the database. */
  const left = async (name: string) => {
    const [found] = await leases
      .aggregate<{ left: number }>([{ $match: { _id: name } }, { $project: { left: { $subtract: ['$expires_at', '$$NOW'] } } }])
      .toArray()
    return found?.left ?? 0
  }
  const expire = (name: string) => leases.updateOne({ _id: name }, [{ $set: { expires_at: { $subtract: ['$$NOW', 1] } } }])

  t.test('is done by one of them, and by the other afterwards', async t => {
    const done = await one.withLease('a', async () => {
      t.equal(await other.withLease('a', async () => t.fail('two processes hold the lease at once')), undefined)
      t.equal(await one.withLease('a', async () => t.fail('one process holds the lease twice')), undefined)
      t.equal(await other.withLease('b', async () => 'free'), 'free', 'another lease is free')
      return 'done'
    })
    t.equal(done, 'done')
    t.equal(await other.withLease('a', async () => 7), 7)
    t.equal(await leases.countDocuments(), 0)
  })

  t.test('is done by one of many that begin at once', async t => {
    let refused = 0
    const work = async () => {
      await until(() => refused === 19)
      return true
    }
    const attempt = async (leases: typeof one) => {
      const done = await leases.withLease('crowd', work)
      if (!done) refused++
      return done
    }
    const done = await Promise.all(Array.from({ length: 20 }, (_, i) => attempt(i % 2 ? one : other)))
    t.equal(done.filter(Boolean).length, 1)
  })

  t.test('is free again when it fails', async t => {
    await t.rejects(
      one.withLease('a', async () => {
        throw new Error('it failed')
      }),
      { message: 'it failed' }
    )
    t.equal(await other.withLease('a', async () => 'done'), 'done')
  })

  t.test('is left to run out while the database may still be at a write', async t => {
    const isHeld = async () => {
      const held = (await leases.countDocuments()) === 1
      await leases.deleteMany()
      return held
    }
    await one.withLease('a', async ({ leave }) => leave())
    t.ok(await isHeld(), 'as the work says')
    const lost = new MongoNetworkError('the connection was lost')
    await t.rejects(
      one.withLease('a', () => Promise.reject(lost)),
      lost
    )
    t.ok(await isHeld(), 'as the error says')
  })

  t.test('is waited for no longer than its lease when the holder died', async t => {
    await one.withLease('a', async () => {
      const life = await left('a')
      t.ok(life > 0 && life <= 60_000, `${life} ms`)
      await expire('a')
      const after = await other.withLease('a', async () => {
        t.equal(await one.withLease('a', async () => t.fail('both at once')), undefined, 'the new holder’s own')
        return 'done'
      })
      t.equal(after, 'done')
    })
    t.equal(await leases.countDocuments(), 0)
  })

  t.test('is not released by a holder that has lost it', async t => {
    let end = () => {}
    const lasting = new Promise<void>(resolve => {
      end = resolve
    })
    const lost = one.withLease('a', () => lasting)
    await until(async () => (await leases.countDocuments()) === 1)
    await expire('a')
    await other.withLease('a', async () => {
      end()
      await lost
      t.equal(await leases.countDocuments({ _id: 'a' }), 1)
      t.equal(await one.withLease('a', async () => t.fail('two processes hold the lease at once')), undefined)
    })
  })

  t.test('is held for as long as the work takes', async t => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    await one.withLease('a', async () => {
      for (let i = 0; i < 3; i++) {
        await leases.updateOne({ _id: 'a' }, [{ $set: { expires_at: { $add: ['$$NOW', 1000] } } }])
        const before = await expiry('a')
        // More than one renewal fits into the 60 seconds.
        mock.timers.tick(25_000)
        await until(async () => (await expiry('a')) > before)
        t.ok((await left('a')) > 30_000)
      }
      // Another process holds the lease now. A renewal must not take it back.
      await leases.updateOne({ _id: 'a' }, { $set: { holder: 'somebody' } })
      const [before, life] = [await expiry('a'), await left('a')]
      t.ok(life > 30_000)
      mock.timers.tick(25_000)
      await new Promise(resolve => setTimeout(resolve, 200))
      t.equal(await expiry('a'), before)
    })
    t.equal((await leases.findOne({ _id: 'a' }))?.holder, 'somebody')
    await leases.deleteMany()
  })

  t.test('is confirmed before each write, and lasts longer than the write may', async t => {
    await one.withLease('a', async ({ holder, confirm }) => {
      await leases.updateOne({ _id: 'a' }, [{ $set: { expires_at: { $add: ['$$NOW', 5000] } } }])
      const { maxTimeMS = 0 } = await other.held('a', holder).confirm()
      t.ok(maxTimeMS > 20_000 && maxTimeMS <= 30_000, `a write may take ${maxTimeMS} ms`)
      t.ok((await left('a')) > maxTimeMS + 20_000)
      await confirm()
    })
  })

  t.test('is not confirmed once it has run out, whoever has held it since', async t => {
    const since: Record<string, (lease: HeldLease) => Promise<unknown>> = {
      nobody: () => expire('a'),
      another: async () => {
        await expire('a')
        await other.withLease('a', async () => true)
      },
      'another still': () => leases.updateOne({ _id: 'a' }, { $set: { holder: 'somebody' } })
    }
    for (const [who, lose] of Object.entries(since)) {
      mock.timers.enable({ apis: ['setInterval'] })
      await one.withLease('a', async lease => {
        await lose(lease)
        mock.timers.tick(25_000)
        await new Promise(resolve => setTimeout(resolve, 100))
        await t.rejects(lease.confirm(), { message: /^The lease of this a ran out/ }, who)
      })
      mock.timers.reset()
      await leases.deleteMany()
    }
  })

  t.test('is not brought back by a renewal under way at its end', async t => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    for (let i = 0; i < 30; i++) await one.withLease('a', async () => mock.timers.tick(25_000))
    await new Promise(resolve => setTimeout(resolve, 100))
    t.equal(await leases.countDocuments(), 0)
    mock.timers.tick(100_000)
    await new Promise(resolve => setTimeout(resolve, 100))
    t.equal(await leases.countDocuments(), 0, 'and none is left afterwards')
  })

  t.test('fails to begin while the database is away, but does not fail to end', async t => {
    const { client, db } = connectionTo(url)
    await client.connect()
    const passing = leasesOf(db)
    t.equal(
      await passing.withLease('a', async () => {
        await client.close()
        return 'done'
      }),
      'done'
    )
    await expire('a')
    const gone = connectionTo('mongodb://127.0.0.1:1/gone', { serverSelectionTimeoutMS: 100 })
    const failed = await leasesOf(gone.db)
      .withLease('a', async () => t.fail('it runs without the lease'))
      .catch(error => error)
    t.ok(isUnavailable(failed), String(failed))
    await gone.client.close()
  })
})
