import { BSON, Decimal128, Double, Long, ObjectId } from 'mongodb'
import t from 'tap'
import { columnsOf } from '../../../src/data/driver/columns.js'

const names = ['time', 'times', 'content_id']

/** What the driver reads. */
const expected = (documents: Buffer[]) => {
  const values = documents.map(document => BSON.deserialize(document))
  return names.map(name => values.map(value => value[name]))
}

const raw = (...documents: object[]) => documents.map(document => Buffer.from(BSON.serialize(document)))

t.test('numbers and nulls, in any order, whatever is missing', async t => {
  const documents = raw(
    { time: 1, times: 2, content_id: 3 },
    { content_id: -(2 ** 31), time: 2 ** 31 - 1 },
    { times: 12.5, time: new Double(7), content_id: 2 ** 53 },
    { time: null, times: -0, content_id: Number.NaN },
    {}
  )
  const columns = columnsOf(documents, names)
  t.strictSame(columns, expected(documents))
  t.strictSame(columns[0], [1, 2 ** 31 - 1, 7, null, undefined])
  t.ok(Object.is(columns[1]?.[3], -0))
})

t.test('anything else is what the driver makes of it', async t => {
  const documents = raw(
    { time: Long.fromNumber(2 ** 40), content_id: 1 },
    { time: 1, content_id: 'one' },
    { time: [1, 2], times: { time: 3 } },
    { time: new Date(5), times: true, content_id: new ObjectId() },
    { times: Decimal128.fromString('1.5') },
    { time: 1, tim: 2, other: 3, content_id: 4 },
    { times: 5 }
  )
  const columns = columnsOf(documents, names)
  t.strictSame(columns, expected(documents))
  t.strictSame(columns[2], [1, 'one', undefined, documents[3] && BSON.deserialize(documents[3]).content_id, undefined, 4, undefined])
})

t.test('no documents', async t => {
  t.strictSame(columnsOf([], names), [[], [], []])
})
