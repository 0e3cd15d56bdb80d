import t from 'tap'
import { type CounterDocument, counterOf } from '../../src/data/counters.js'
import { build } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'

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
