import type { Document } from 'mongodb'
import t from 'tap'
import { counterOf } from '../../src/data/counters.js'
import type { RestoreNote } from '../../src/data/restores.js'
import { addUser, build, signIn } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { term } from '../helpers/documents.js'
import { tick, until } from '../helpers/until.js'

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
