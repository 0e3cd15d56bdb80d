import { setTimeout as sleep } from 'node:timers/promises'
import { ObjectId } from 'mongodb'
import t from 'tap'
import { connectionTo } from '../../src/database/connection.js'
import { revisionsOf } from '../../src/database/revisions.js'
import { randomFrom } from '../../src/recommendations/model/index.js'
import { removalGrace } from '../../src/sync/removals.js'
import { seconds } from '../../src/time.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { type App, addUser, build, buildWith, signIn } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { historyDocument } from '../helpers/documents.js'
import { replicaSet } from '../helpers/replica-set.js'
import { until } from '../helpers/until.js'
import { ask, assertEqualCopy, Copy, films, writeOnce } from '../viewing/helper.js'

t.test('whoever follows the changes has a copy that equals the lists, whatever three devices write meanwhile', async t => {
  const app = await buildWith(t, { contents: films })
  // Much shorter than in production, because a long overlap would hide that a change was missed.
  const overlap = 400
  const users = 16
  const writesPerDevice = 30

  const follow = async (user: number, seed: number) => {
    const next = randomFrom(seed)
    const copy = new Copy()
    let isWriting = true
    const device = async (n: number) => {
      const turn = randomFrom(seed * 1000 + n)
      for (let i = 0; i < writesPerDevice; i++) {
        await writeOnce(app, user, turn)
        if (turn() < 0.2) await sleep(turn() * 20)
      }
    }
    const askOnce = () => ask(app, user, copy, { perPage: 1 + Math.floor(next() * 8), overlap })
    const reading = (async () => {
      await askOnce()
      // Every second app is offline until the end, when most changes are older than the overlap.
      while (isWriting && seed % 2) {
        await askOnce()
        if (next() < 0.5) await sleep(next() * 60)
      }
    })()
    await Promise.all([1, 2, 3].map(device))
    isWriting = false
    await reading
    while (await askOnce());
    await assertEqualCopy(t, app, user, copy, overlap)
  }
  const ids = await Promise.all(Array.from({ length: users }, () => addUser(app)))
  for (let from = 0; from < users; from += 8) await Promise.all(ids.slice(from, from + 8).map(({ _id }) => follow(_id, _id)))
})

t.test('a change that becomes visible after later ones is still sent, however long the first reading took', async t => {
  const app = await buildWith(t, { contents: films })
  const { _id: user } = await addUser(app)
  const element = (content_id: number, ago: number) =>
    historyDocument({ _id: new ObjectId(), user_id: user, content_id, updated_at: new Date(Date.now() - ago) })
  const history = databaseOf(app).collection<HistoryDocument>('history')
  const copy = new Copy()
  while (await ask(app, user, copy, { perPage: 1, overlap: 60_000 }));
  await history.insertMany([element(1, 9000), element(2, 2000)])
  t.ok(await ask(app, user, copy, { perPage: 1, overlap: 10_000 }))
  // As if its write had begun before the last read and ended after it.
  await history.insertOne(element(3, 9500))
  // Without an overlap, as if all writes had settled meanwhile.
  t.notOk(await ask(app, user, copy, { perPage: 1, overlap: 0 }))
  t.strictSame([...copy.lists.history.keys()], [1, 2])
  t.notOk(await ask(app, user, copy, { perPage: 9, overlap: 0 }))
  t.strictSame([...copy.lists.history.keys()], [1, 2, 3])
})

/**
 * A removal that the death of the primary interrupts may be completed for as long as its mark counts, and reaches the majority once the
 * other members have found the new primary.
 */
const overlap = removalGrace + seconds(2)

/** Devices that ask all the time, and are approved one after the other. */
const devicesOf = async (app: App, count: number) => {
  const user = await addUser(app)
  const headers = await signIn(app, user)
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload, headers })
  const issued = await Promise.all(Array.from({ length: count }, (_, i) => post('/login/device', { device: `TV ${i}` })))
  // Without an interval, so that they may ask all the time.
  await databaseOf(app)
    .collection('device_codes')
    .updateMany({}, { $set: { interval: 0 } })

  const signInDevice = async ({ device_code, user_code }: Record<string, string>, approvedAfter: number) => {
    const approve = async () => {
      await sleep(approvedAfter)
      while ((await post(`/login/device/${user_code}`, { approve: true })).statusCode !== 200) await sleep(50)
    }
    const approved = approve()
    let isSure = true
    for (;;) {
      const answer = await post('/login/device/token', { device_code })
      if (answer.statusCode === 503) isSure = false
      else if (answer.json().error !== 'authorization_pending') {
        await approved
        return { isSure, isSignedIn: answer.statusCode === 200 }
      }
      await sleep(100)
    }
  }
  return {
    signIn: (milliseconds: number) => Promise.all(issued.map((answer, n) => signInDevice(answer.json().data, (milliseconds * n) / count))),
    signedIn: async () => (await app.data.sessions.list(user._id)).flatMap(({ device }) => device ?? [])
  }
}

t.test('a copy equals the lists, and devices sign in with a code, though the primary dies', async t => {
  const { url, members } = await replicaSet(t, 3, 2000)
  const isPrimary = async ({ admin }: (typeof members)[0]) => (await admin.command({ hello: 1 })).isWritablePrimary
  const [first, ...others] = members as [(typeof members)[0], ...typeof members]
  await until(() => isPrimary(first))
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  await db.collection('contents').insertMany(films as never)
  await revisionsOf(db).raise('contents')
  const app = await build(t, { url, settings: { DATABASE_TIMEOUT: '5000' } })
  const users = await Promise.all(Array.from({ length: 6 }, () => addUser(app)))
  const devices = await devicesOf(app, 20)
  /** Ignores failures, because a dying primary does not answer. */
  const unlessAway = (job: Promise<unknown>) => job.catch(error => t.comment(error.message))

  let isWriting = true
  const follow = async (user: number, copy: Copy) => {
    const next = randomFrom(user)
    while (isWriting) {
      await unlessAway(ask(app, user, copy, { perPage: 1 + Math.floor(next() * 8), overlap }))
      await sleep(next() * 20)
    }
  }
  const write = async (user: number, device: number) => {
    const next = randomFrom(user * 1000 + device)
    while (isWriting) await unlessAway(writeOnce(app, user, next))
  }
  const copies = users.map(({ _id }) => ({ user: _id, copy: new Copy() }))
  const all = copies.flatMap(({ user, copy }) => [follow(user, copy), write(user, 1), write(user, 2)])
  const signingIn = devices.signIn(2500)
  await sleep(1000)
  first.kill()
  await until(async () => (await Promise.all(others.map(isPrimary))).includes(true))
  // Until the copies are past what was written when the primary died.
  await sleep(overlap + 1000)
  isWriting = false
  await Promise.all(all)
  for (const { user, copy } of copies) {
    while (await ask(app, user, copy, { perPage: 5, overlap }));
    await assertEqualCopy(t, app, user, copy, overlap)
  }

  const [ends, names] = [await signingIn, await devices.signedIn()]
  t.ok(
    ends.every(({ isSignedIn, isSure }) => isSignedIn || !isSure),
    'a device is signed in, unless a response was lost'
  )
  t.ok(ends.filter(({ isSignedIn }) => isSignedIn).length > 10)
  t.equal(new Set(names).size, names.length, 'and never twice')
})
