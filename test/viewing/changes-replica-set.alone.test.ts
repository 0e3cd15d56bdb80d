import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { connectionTo } from '../../src/data/driver/connection.js'
import { revisionsOf } from '../../src/data/revisions.js'
import { addUser, build } from '../helpers/app.js'
import { replicaSet } from '../helpers/replica-set.js'
import { until } from '../helpers/until.js'
import { ask, Copy, films, isEqual, random, writeOnce } from './helper.js'

/** Longer than it takes the next primary to know what its majority has. */
const overlap = 2000

t.test('a copy equals the lists though the primary dies', async t => {
  const { url, members } = await replicaSet(t, 3, 500)
  const isPrimary = async ({ admin }: (typeof members)[0]) => (await admin.command({ hello: 1 })).isWritablePrimary
  const [first, ...others] = members as [(typeof members)[0], ...typeof members]
  await until(() => isPrimary(first))
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  await db.collection('contents').insertMany(films as never)
  await revisionsOf(db).raise('contents')
  const app = await build(t, { url, settings: { DATABASE_TIMEOUT: '5000' } })
  const users = await Promise.all(Array.from({ length: 6 }, () => addUser(app)))
  /** What a primary is asked while it dies is not answered. */
  const unlessAway = (job: Promise<unknown>) => job.catch(error => t.comment(error.message))

  let isWriting = true
  const follow = async (user: number, copy: Copy) => {
    const next = random(user)
    while (isWriting) {
      await unlessAway(ask(app, user, copy, { perPage: 1 + Math.floor(next() * 8), overlap }))
      await sleep(next() * 20)
    }
  }
  const write = async (user: number, device: number) => {
    const next = random(user * 1000 + device)
    while (isWriting) await unlessAway(writeOnce(app, user, next))
  }
  const copies = users.map(({ _id }) => ({ user: _id, copy: new Copy() }))
  const all = copies.flatMap(({ user, copy }) => [follow(user, copy), write(user, 1), write(user, 2)])
  await sleep(1000)
  first.kill()
  await until(async () => (await Promise.all(others.map(isPrimary))).includes(true))
  await sleep(1000)
  isWriting = false
  await Promise.all(all)
  for (const { user, copy } of copies) {
    while (await ask(app, user, copy, { perPage: 5, overlap }));
    await isEqual(t, app, user, copy, overlap)
  }
})
