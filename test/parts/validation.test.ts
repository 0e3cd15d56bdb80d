import { type TSchema, Type } from '@sinclair/typebox'
import t from 'tap'
import { compileValidator, invalidRequest } from '../../src/validation.js'

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

t.test('a parameter that comes twice is told so, and not by what one of them says', async t => {
  t.match(toldOf(Type.Integer(), ['1', 'x'], 'querystring'), { errors: [{ field: 'field', message: 'must be given once' }] })
  t.equal(toldOf(Type.Integer(), '1', 'querystring'), undefined)
})
