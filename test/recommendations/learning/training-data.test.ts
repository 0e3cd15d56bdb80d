import { Decimal128, type Document } from 'mongodb'
import t from 'tap'
import { readTrainingData } from '../../../src/recommendations/learning/training-data.js'
import { buildWith } from '../../helpers/app.js'
import { databaseOf } from '../../helpers/database.js'
import { content } from '../../helpers/documents.js'
import { interest } from '../helper.js'

t.test('a training skips broken contents and histories that other software wrote', async t => {
  const odd = { ...content(2), keywords: 'odd', countries_include: [5], created_at: 'x' } as unknown as ReturnType<typeof content>
  const app = await buildWith(t, { contents: [content(1), odd, content(3)] })
  const at = new Date()
  const decimal = Decimal128.fromString('50')
  const elements: Document[] = [
    { user_id: 1, content_id: 1, time: 3000, percentage: 90 },
    { user_id: 1, content_id: 2, time: 3000, percentage: 90 },
    { user_id: 1, content_id: 3, time: 3000, percentage: decimal },
    { user_id: 2, content_id: 3, time: decimal },
    { user_id: 2, content_id: 1, time: 3000, percentage: 'x' }
  ]
  await databaseOf(app)
    .collection('history')
    .insertMany(elements.map(element => ({ created_at: at, updated_at: at, ...element })))
  const { interactions, ids } = await readTrainingData(app.data, interest, () => undefined)
  t.strictSame(
    [[...interactions.starts], [...interactions.items], [...ids]],
    [
      [0, 2],
      [0, 1],
      [1, 3]
    ]
  )
  t.ok(
    interactions.weights?.every(weight => weight > 0 && weight <= 1),
    'elements without interest are left out'
  )
})

t.test('and finds nothing where there is nothing', async t => {
  const app = await buildWith(t, { contents: [content(1)] })
  const { interactions, ids } = await readTrainingData(app.data, interest, () => undefined)
  t.strictSame([[...interactions.starts], interactions.itemCount, [...ids]], [[0], 0, [1]], 'only a title that nobody has watched')
})
