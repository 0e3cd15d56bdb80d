import { setTimeout as sleep } from 'node:timers/promises'
import { ObjectId } from 'mongodb'
import t from 'tap'
import type { HistoryDocument } from '../../src/data/history.js'
import { randomFrom } from '../../src/recommendations/model/sampling.js'
import { addUser, buildWith } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { historyDocument } from '../helpers/documents.js'
import { ask, assertEqualCopy, Copy, films, writeOnce } from './helper.js'

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
