import { ObjectId } from 'mongodb'
import t from 'tap'
import type { HistoryDocument } from '../../src/data/history.js'
import { buildWith } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { historyDocument } from '../helpers/documents.js'

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
