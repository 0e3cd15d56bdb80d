import { BSON, Decimal128, Double, Long, ObjectId } from 'mongodb'
import t from 'tap'
import { columnsOf } from '../../../src/data/driver/columns.js'

const values = ['time', 'times', 'content_id'] as const
const moments = ['at'] as const

type Row = Record<(typeof values)[number] | (typeof moments)[number], unknown>

const read = (documents: Buffer[]) => columnsOf<Row>(documents, values, moments)

/** What the driver reads. Only dates are moments. */
const expected = (documents: Buffer[]) => {
  const rows = documents.map(document => BSON.deserialize(document))
  const milliseconds = ({ at }: { at?: unknown }) => (at instanceof Date ? at.getTime() : undefined)
  return { ...Object.fromEntries(values.map(name => [name, rows.map(row => row[name])])), at: rows.map(milliseconds) }
}

const raw = (...documents: object[]) => documents.map(document => Buffer.from(BSON.serialize(document)))

t.test('numbers, nulls and moments, in any order, whatever is missing', async t => {
  const documents = raw(
    { time: 1, times: 2, content_id: 3 },
    { content_id: -(2 ** 31), time: 2 ** 31 - 1, at: new Date('2026-11-24T20:15:00.123Z') },
    { at: new Date(-1), times: 12.5, time: new Double(7), content_id: 2 ** 53 },
    { time: null, times: -0, content_id: Number.NaN, at: new Date(8.64e15) },
    {}
  )
  const columns = read(documents)
  t.strictSame(columns, expected(documents))
  t.strictSame(columns.time, [1, 2 ** 31 - 1, 7, null, undefined])
  t.strictSame(columns.at, [undefined, Date.parse('2026-11-24T20:15:00.123Z'), -1, 8.64e15, undefined])
  t.ok(Object.is(columns.times[3], -0))
})

t.test('any other value is what the driver reads', async t => {
  const documents = raw(
    { time: Long.fromNumber(2 ** 40), content_id: 1, at: new Date(1) },
    { time: 1, content_id: 'one', at: 'one' },
    { time: [1, 2], times: { time: 3 } },
    { time: new Date(5), times: true, content_id: new ObjectId() },
    { times: Decimal128.fromString('1.5'), at: 1.5 },
    { time: 1, tim: 2, other: 3, content_id: 4, at: null },
    { times: 5, at: 5 }
  )
  const columns = read(documents)
  t.strictSame(columns, expected(documents))
  t.strictSame(columns.content_id, [
    1,
    'one',
    undefined,
    documents[3] && BSON.deserialize(documents[3]).content_id,
    undefined,
    4,
    undefined
  ])
  t.strictSame(columns.at, [1, ...Array(6)])
})

t.test('no documents', async t => {
  t.strictSame(read([]), { time: [], times: [], content_id: [], at: [] })
})
