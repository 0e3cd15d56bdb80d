import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectId } from 'mongodb'
import t from 'tap'
import { exportOf, exportsOf } from '../../src/privacy/export.js'
import { addUser, build } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'

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

  t.test('tell no completion of an element that has no count', async t => {
    const user = await withHistory(2)
    await db.collection('history').updateOne({ user_id: user._id, content_id: 2 }, { $set: { percentage: 95 } })
    const { history } = JSON.parse(await text(exportOf(data, user, read => read())))
    t.match(history, [
      { plays: 0, watched_at: null },
      { percentage: 95, plays: 0, watched_at: null }
    ])
  })

  t.test('leave out what is broken, and go on after it', async t => {
    const user = await withHistory(600)
    await db.collection('history').updateMany({ user_id: user._id, content_id: { $lt: 600 } }, { $unset: { updated_at: '' } })
    for (const name of ['watchlist', 'hidden', 'ratings'])
      await db.collection<{ _id: number | ObjectId }>(name).insertMany([
        { _id: user._id * 10, user_id: user._id, content_id: 1 },
        { _id: user._id * 10 + 1, user_id: user._id, content_id: 2, rating: 'like', created_at: new Date(0), updated_at: new Date(0) },
        { _id: user._id * 10 + 2, user_id: user._id, content_id: 3, rating: 'x', ...(name === 'ratings' && { created_at: new Date(0) }) }
      ] as never)
    const { history, ...others } = JSON.parse(await text(exportOf(data, user, read => read())))
    t.match(history, [{ content_id: 600 }])
    t.equal(history.length, 1)
    for (const name of ['watchlist', 'hidden', 'ratings'])
      t.strictSame(
        others[name].map(({ content_id }: { content_id: number }) => content_id),
        [2],
        name
      )
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
