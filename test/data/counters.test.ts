import t from 'tap'
import { counterOf } from '../../src/data/counters.js'
import { build } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'

t.test('a counter gives no id twice, and none that is not exact', async t => {
  const app = await build(t)
  const db = databaseOf(app)
  const counter = counterOf(db, 'things')
  const last = Number.MAX_SAFE_INTEGER
  await counter.moveTo(last - 3)
  t.equal(await counter.nextBlock(2), last - 2)
  t.equal(await counter.next(), last)
  for (let i = 0; i < 3; i++) await t.rejects(counter.next(), { message: 'The counter of things has run out of ids' })
  await t.rejects(counter.nextBlock(5))
  t.match(await db.collection<{ _id: string }>('counters').findOne({ _id: 'things' }), { last }, 'nor does it run over')
})
