import { mock } from 'node:test'
import t from 'tap'
import { connectionTo } from '../../src/data/driver/connection.js'
import { isUnavailable } from '../../src/data/driver/faults.js'
import { type Lease as HeldLease, leasesOf } from '../../src/data/leases.js'
import { databaseUrl } from '../helpers/database.js'
import { until } from '../helpers/until.js'

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
      const { timeoutMS } = await other.held('a', holder).confirm()
      t.ok(timeoutMS > 20_000 && timeoutMS <= 30_000, `a write may take ${timeoutMS} ms`)
      t.ok((await left('a')) > timeoutMS + 20_000)
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
