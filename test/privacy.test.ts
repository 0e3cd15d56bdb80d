import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Document, ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import { ensureCollections } from '../src/database/collections.js'
import { connectionTo, timeoutsOf } from '../src/database/connection.js'
import { type Data, dataOf } from '../src/database/data.js'
import { Revocations } from '../src/identity/revocations.js'
import { beginErasure, removeUser, sweepDue } from '../src/privacy/erase.js'
import { exportOf, exportsOf } from '../src/privacy/export.js'
import { minutes } from '../src/time.js'
import { eachList } from '../src/viewing/viewer-lists.js'
import { addUser, beginSession, build, settingsFor } from './helpers/app.js'
import { databaseOf, databaseUrl, seededUrl } from './helpers/database.js'
import { film } from './helpers/documents.js'
import { proxyTo } from './helpers/proxy.js'
import { until } from './helpers/until.js'

const life = minutes(60)

const open = (t: Test, url: string, timeout = 15_000) => {
  const { client, db } = connectionTo(url, timeoutsOf(timeout))
  t.teardown(() => client.close())
  return { db, data: dataOf(db, settingsFor(url)) }
}

/** A user with something in every list. */
const someone = async (data: Data) => {
  const { _id } = await data.users.add({ email: `${crypto.randomUUID()}@example.com`, name: 'A Viewer', password_hash: 'x' })
  await beginSession(data, { _id })
  await leaveSomething(data, _id)
  return _id
}
const leaveSomething = async (data: Data, id: number) => {
  await data.reports.put(id, { content_id: 1, progress: { time: 1 } })
  await data.watchlist.add(id, 1)
  await data.hidden.put(id, 1)
  await data.seen.add(id, [[1]])
  await data.ratings.put(id, 1, 'like')
  await data.preferences.put(id, 1, { audio: 'de' })
  await data.dismissals.put(id, 1)
}

t.test('an erasure', async t => {
  const url = await databaseUrl(t)
  const { db, data } = open(t, url)
  await ensureCollections(db)
  const left = async (id: number) => {
    const found = ['sessions', 'history', 'watchlist', 'hidden', 'ratings', 'preferences', 'seen', 'dismissals', 'removals'].map(name =>
      db.collection(name).countDocuments({ [name === 'sessions' ? 'account_id' : 'user_id']: id })
    )
    return (await Promise.all(found)).reduce((sum, count) => sum + count, 0) + ((await data.users.byId(id)) ? 1 : 0)
  }
  const erasures = db.collection<{ _id: number; sweeps: number; sweep_at?: Date; at: Date }>('erasures')
  /** Makes the next sweep due. */
  const due = async (_id: number) => {
    await erasures.updateOne({ _id }, { $set: { sweep_at: new Date(0) } })
    const erased = new Revocations(data)
    await erased.refresh()
    return erased
  }

  const again = async (id: number) => {
    await beginErasure(data, id)
    await removeUser(data, id)
  }
  /** Waits for the user's sweep, which another concurrent run may make. */
  const swept = async (id: number) => {
    await sweepDue(data, await due(id), life)
    await until(async () => ((await erasures.findOne({ _id: id }))?.sweeps ?? 0) > 0)
  }

  t.test('of an id without a user is noted, too', async t => {
    await again(987_654)
    t.match(await erasures.findOne({ _id: 987_654 }), { sweeps: 0 })
    await swept(987_654)
  })

  /** Erases a user over a connection that is lost at a command with this text. */
  const breakOff = async (command: string, complete: (id: number) => Promise<unknown>) => {
    const proxy = await proxyTo(t, url)
    const broken = open(t, proxy.url, 2000)
    const id = await someone(data)
    await broken.data.users.byId(id)
    const cut = proxy.at(command, proxy.leave)
    await t.rejects(beginErasure(broken.data, id).then(() => removeUser(broken.data, id)))
    await cut
    const [before, isNoted] = [await left(id), (await erasures.countDocuments({ _id: id })) > 0]
    t.ok(before === 9 || isNoted, `${command}: it is noted before anything is removed`)
    t.ok(before > 0, command)
    await complete(id)
    t.strictSame([await left(id), await erasures.countDocuments({ _id: id })], [0, 1], command)
    return isNoted
  }

  t.test('that breaks off anywhere is completed', async t => {
    const noted = await Promise.all([
      breakOff('users', again),
      breakOff('erasures', again),
      breakOff('revisions', swept),
      breakOff('disabled_at', swept),
      breakOff('delete', again),
      breakOff('history', swept),
      breakOff('hidden', again),
      breakOff('login_attempts', swept)
    ])
    t.strictSame(noted, [false, false, true, true, true, true, true, true])
  })

  t.test('is swept three times, each by one process', async t => {
    const id = await someone(data)
    await beginErasure(data, id)
    await removeUser(data, id)
    const inSeconds = async () => {
      const note = await erasures.findOne({ _id: id })
      return note?.sweep_at && (note.sweep_at.getTime() - Date.now()) / 1000
    }
    const soon = Number(await inSeconds())
    t.ok(soon > 0 && soon <= 3, `${soon} s`)
    const early = new Revocations(data)
    await early.refresh()
    t.ok(early.isRefused(id))
    t.notOk(early.dueSweeps().includes(id), 'not yet due')
    early.planSweep(id, 0)
    await leaveSomething(data, id)
    await sweepDue(data, early, life)
    t.equal(await left(id), 7, 'the clock of the database counts')

    // The session of the user is from a time when tokens lived longer than those of this process.
    for (const [sweep, next] of [30, 3660, undefined].entries()) {
      const processes = [await due(id), await due(id)]
      await Promise.all(processes.map(erased => sweepDue(data, erased, life)))
      t.equal(await left(id), 0)
      t.equal((await erasures.findOne({ _id: id }))?.sweeps, sweep + 1)
      const found = await inSeconds()
      t.ok(next === undefined ? found === undefined : Number(found) > next - 5 && Number(found) <= next, `${found} of ${next}`)
      for (const erased of processes) t.notOk(erased.dueSweeps().includes(id), 'both processes have finished with it')
      await leaveSomething(data, id)
    }
    const later = new Revocations(data)
    await later.refresh()
    t.notOk(later.isRefused(id), 'no token can still be valid')
  })

  t.test('of a profile ends its sessions alone', async t => {
    const account = await someone(data)
    const profile = (await data.profiles.add(account, { name: 'Mia', max_age: null })) as number
    const { sid } = await beginSession(data, { _id: account }, null, { user_id: profile })
    const own = await beginSession(data, { _id: account })
    await beginErasure(data, profile)
    await removeUser(data, profile)
    t.notOk(await data.sessions.living(account, sid))
    t.ok(await data.sessions.living(account, own.sid))
  })

  t.test('that cannot be swept is tried again in a minute', async t => {
    const id = await someone(data)
    await beginErasure(data, id)
    const proxy = await proxyTo(t, url)
    const broken = open(t, proxy.url, 2000)
    await broken.data.users.byId(id)
    const erased = await due(id)
    const cut = proxy.at('history', proxy.leave)
    await t.rejects(sweepDue(broken.data, erased, life))
    await cut
    t.notOk(erased.dueSweeps().includes(id))
    const now = performance.now()
    t.teardown(() => mock.restoreAll())
    mock.method(performance, 'now', () => now + minutes(1.1))
    t.ok(erased.dueSweeps().includes(id))
  })

  t.test('is found even if nobody announced it', async t => {
    const erased = new Revocations(data)
    await erased.refresh()
    await erasures.insertOne({ _id: 5000, at: new Date(), sweep_at: new Date(), sweeps: 0 })
    await erased.refresh()
    t.notOk(erased.isRefused(5000), 'not removed at every check')
    const now = performance.now()
    t.teardown(() => mock.restoreAll())
    mock.method(performance, 'now', () => now + minutes(11))
    await erased.refresh()
    t.ok(erased.isRefused(5000))
  })
})

const text = async (pieces: AsyncIterable<string>) => {
  let all = ''
  for await (const piece of pieces) all += piece
  return all
}

t.test('exports', async t => {
  const app = await build(t, { url: await seededUrl(t, { contents: [film(1)] }) })
  const { data } = app
  const db = databaseOf(app)
  const withHistory = async (length: number) => {
    const user = await addUser(app)
    const at = new Date()
    const elements = Array.from({ length }, (_, i) => ({
      user_id: user._id,
      content_id: i + 1,
      time: 1,
      percentage: 2,
      created_at: at,
      updated_at: at
    }))
    if (length > 0) await db.collection('history').insertMany(elements)
    return user
  }

  t.test('of any length are whole', async t => {
    for (const length of [0, 1, 499, 500, 501, 1001]) {
      const user = await withHistory(length)
      const { history, watchlist } = JSON.parse(await text(exportOf(data, user, read => read())))
      t.strictSame(
        history.map(({ content_id }: { content_id: number }) => content_id),
        Array.from({ length }, (_, i) => i + 1)
      )
      t.strictSame(watchlist, [])
    }
  })

  t.test('contain each element once, whatever moves to other contents meanwhile', async t => {
    const user = await addUser(app)
    const lists = eachList.map(({ name }) => db.collection<Document & { _id: number | ObjectId }>(name))
    for (const list of lists)
      await list.insertMany(
        Array.from({ length: 600 }, (_, i) => ({
          _id: list.collectionName === 'watchlist' ? user._id * 10_000 + i : new ObjectId(),
          user_id: user._id,
          content_id: 100 + i,
          created_at: new Date(1.7e12 + i),
          updated_at: new Date(1.7e12 + i),
          ...(list.collectionName === 'history' ? { time: 1, percentage: 1 } : {}),
          rating: 'like',
          audio: 'de'
        }))
      )
    let reads = 0
    const move = async () => {
      reads++
      for (const list of lists) {
        const filter = { user_id: user._id }
        await list.findOneAndUpdate(filter, { $set: { content_id: 2000 + reads } }, { sort: { content_id: 1 } })
        await list.findOneAndUpdate(
          { ...filter, content_id: { $lt: 2000 } },
          { $set: { content_id: 100 - reads } },
          { sort: { content_id: -1 } }
        )
      }
    }
    const exported = JSON.parse(
      await text(
        exportOf(data, user, async read => {
          const result = await read()
          await move()
          return result
        })
      )
    )
    t.ok(reads > 10)
    for (const { name } of eachList) {
      const dates: string[] = exported[name].map((element: Document) => element.created_at ?? element.updated_at)
      t.strictSame([dates.length, new Set(dates).size], [600, 600], name)
    }
  })

  t.test('tell no completion of an element that has no count', async t => {
    const user = await withHistory(2)
    await db.collection('history').updateOne({ user_id: user._id, content_id: 2 }, { $set: { percentage: 95 } })
    const { history } = JSON.parse(await text(exportOf(data, user, read => read())))
    t.match(history, [
      { plays: 0, watched_at: null },
      { percentage: 95, plays: 0, watched_at: null }
    ])
  })

  t.test('read no faster than they are taken', async t => {
    const user = await withHistory(6000)
    let reads = 0
    const answer = Readable.from(
      exportOf(data, user, read => {
        reads++
        return read()
      })
    )
    answer.on('readable', () => undefined)
    for (let pieces = 0; pieces < 4; )
      if (answer.read() === null) await sleep(1)
      else pieces++
    await sleep(100)
    t.ok(reads > 0 && reads <= 4, `${reads} of 13 reads`)
    answer.destroy()
  })

  t.test('are one for each user and few at once, until they end or their callers leave', async t => {
    const exports = exportsOf(data)
    const users = await Promise.all(Array.from({ length: 17 }, () => addUser(app)))
    const [first, ...others] = users.map(({ _id }) => _id) as [number, ...number[]]
    const last = others.pop() as number
    const running = await exports.begin(first)
    await t.rejects(exports.begin(first), { message: 'Too many requests, try again later' })
    const more = await Promise.all(others.map(exports.begin))
    await t.rejects(exports.begin(last), { message: 'The service is temporarily unavailable, try again later' })
    running.destroy()
    await until(() => running.closed)
    const another = await exports.begin(last)
    t.match(JSON.parse(await text(another)), { success: true, data: { users: [{ id: last }] } })
    t.match(
      JSON.parse(await text(await exports.begin(first))).data.users,
      [{ id: first }],
      'an export that was cut off does not count any more'
    )
    for (const answer of more) answer.destroy()
    await t.rejects(exports.begin(987_654), { message: 'Unauthenticated.' })
  })
})
