import { type TSchema, Type } from '@sinclair/typebox'
import t from 'tap'
import { Nullable } from '../../schemas/common.js'
import { compileValidator, invalidRequest } from '../../src/http/validation.js'

/** What a caller is told of a field that its schema refuses. */
const toldOf = (schema: TSchema, value: unknown, httpPart = 'body') => {
  const validate = compileValidator({ schema: Type.Object({ field: schema }), httpPart })
  const { error } = validate(value === undefined ? {} : { field: value }) as { error?: never[] }
  return error && invalidRequest(error, httpPart).body
}

t.test('a refusal gives the whole rule of the field, whatever its schema', async t => {
  const literals = ['one', 'two'].map(word => Type.Literal(word))
  const rules: [schema: TSchema, value: unknown, rule: string][] = [
    [Type.Integer(), 'x', 'must be an integer'],
    [Type.Integer({ minimum: 1 }), 0, 'must be an integer from 1'],
    [Type.Integer({ minimum: 1, maximum: 9 }), 10, 'must be an integer from 1 to 9'],
    [Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), 1.5, 'must be an integer from 1'],
    [Type.Number({ minimum: 0, maximum: 100 }), 100.5, 'must be a number from 0 to 100'],
    [Nullable(Type.Integer({ minimum: 1 })), 0, 'must be an integer from 1 or null'],
    [Type.String(), 5, 'must be a text'],
    [Type.String({ minLength: 1 }), '', 'must be a text that is not empty'],
    [Type.String({ maxLength: 3 }), 'four', 'must be a text of at most 3 characters'],
    [Type.String({ minLength: 1, maxLength: 3 }), null, 'must be a text of 1 to 3 characters'],
    [Type.String({ pattern: '^a', 'x-rule': 'a text that begins with a' }), 'b', 'must be a text that begins with a'],
    [Type.String({ format: 'date-time' }), 'today', 'must be a timestamp in the form of RFC 3339'],
    [Type.Unsafe({ type: 'string', enum: ['ASC', 'DESC'] }), 'UP', 'must be one of ASC, DESC'],
    [Type.Union(literals), 'three', 'must be one of one, two'],
    [Type.Literal('one'), 'two', 'must be one'],
    [Type.Array(Type.Integer()), 5, 'must be a list'],
    [Type.Array(Type.Integer(), { maxItems: 2 }), [1, 2, 3], 'must be a list of at most 2 values'],
    [Type.Object({}), [], 'must be an object'],
    [Type.Integer(), undefined, 'is required']
  ]
  for (const [schema, value, rule] of rules)
    t.match(toldOf(schema, value), { code: 400, message: `field ${rule}`, errors: [{ field: 'field', message: rule }] }, rule)
})

t.test('a parameter given twice is refused for that, and not for one of its values', async t => {
  t.match(toldOf(Type.Integer(), ['1', 'x'], 'querystring'), { errors: [{ field: 'field', message: 'must be given once' }] })
  t.equal(toldOf(Type.Integer(), '1', 'querystring'), undefined)
})

t.test('a list of a query has at most 100 values of at most 200 characters, however it is written', async t => {
  const told = (schema: TSchema, value: string | string[]) => toldOf(schema, value, 'querystring')
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i))
  const ids = Type.Array(Type.Integer(), { minItems: 1, maxItems: 100 })
  const names = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 100 })

  for (const given of [numbers(100).join(), numbers(100), [numbers(40).join(), '7', numbers(59).join()], `${'0'.repeat(199)}7`, ['1', '1']])
    t.equal(told(ids, given), undefined)
  for (const given of ['a'.repeat(200), '漢'.repeat(200), '😀'.repeat(200)]) t.equal(told(names, given), undefined)

  const message = 'must be a list of at most 100 values of at most 200 characters each'
  for (const [schema, given] of [
    [ids, numbers(101).join()],
    [ids, numbers(101)],
    [ids, [numbers(60).join(), numbers(60).join()]],
    [ids, Array.from({ length: 200 }, () => numbers(60).join())],
    [ids, ','.repeat(15_000)],
    [ids, 'x,'.repeat(7_500)],
    [ids, `${'0'.repeat(200)}7`],
    [names, 'a'.repeat(201)],
    [names, `b,${'a'.repeat(15_000)}`],
    [names, '😀'.repeat(201)],
    [names, ['b', `c,${'😀'.repeat(201)}`]]
  ] as [TSchema, string | string[]][])
    t.strictSame(
      told(schema, given),
      { success: false, code: 400, message: `field ${message}`, errors: [{ field: 'field', message }] },
      String(given).slice(0, 40)
    )
})

t.test('no value of a query is longer than 200 characters', async t => {
  const searched = Type.String({ maxLength: 200, pattern: 'a', 'x-rule': 'a text with an a' })
  for (const [schema, given, message] of [
    [Type.Integer(), `${'0'.repeat(200)}1`, 'must be of at most 200 characters'],
    [Type.String(), 'a'.repeat(201), 'must be of at most 200 characters'],
    [Type.String({ format: 'date-time' }), `2026-01-31T20:15:00.${'0'.repeat(15_000)}Z`, 'must be of at most 200 characters'],
    [searched, 'a'.repeat(201), 'must be a text with an a']
  ] as [TSchema, string, string][])
    t.match(toldOf(schema, given, 'querystring'), { code: 400, errors: [{ field: 'field', message }] }, message)
  t.equal(toldOf(Type.Integer(), `${'0'.repeat(199)}1`, 'querystring'), undefined)
  t.equal(toldOf(Type.String(), 'a'.repeat(201)), undefined, 'a body has its own limits')
})
