import { type TSchema, Type } from '@sinclair/typebox'
import { published } from './published.js'

export const maxValues = 100
export const maxValueLength = 200
/** The maximum number of words in a search, because each takes time, and nobody types more. */
export const maxWords = 8
/** Cursors are longer than what people type. */
export const maxCursorLength = 1000

/** A query parameter with one or more values, separated by commas or by repeating the parameter. */
export const Several = <T extends TSchema>(item: T, description: string, example: unknown) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: maxValues, style: 'form', explode: false, description, examples: [[example]] }))

/** 0 matches nothing. */
const AnyId = Type.Integer({ minimum: 0 })

export const Ids = (description: string, example: number) => Several(AnyId, description, example)
/** Any item of a title stands for the title, by its current id or an earlier one. */
export const TitleId = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1188] }))
/** The values must not contain commas: a comma always separates values, even if it is encoded. */
export const Names = (description: string, example: string) =>
  Several(Type.String({ minLength: 1, maxLength: maxValueLength }), description, example)

export const Search = (whatItFinds: string, example: string) =>
  Type.Optional(
    // The regular expressions of some client languages do not have `\p`.
    published(
      Type.String({
        maxLength: maxValueLength,
        pattern: '[\\p{L}\\p{N}]',
        format: 'search',
        'x-rule': `a string of at most ${maxValueLength} characters and ${maxWords} words, with a letter or a digit`,
        description: `Up to ${maxWords} words or beginnings of words, with at least one letter or digit. ${whatItFinds}. Ignores case and accents. If fewer than 10 match, also allows a typo in words of 5 or more letters, and two in words of 9 or more`,
        examples: [example]
      }),
      Type.String({ minLength: 1, maxLength: maxValueLength })
    )
  )

export const Moment = (description: string, example: string) =>
  Type.Optional(
    published(
      Type.String({ format: 'date-time', maxLength: maxValueLength, description, examples: [example] }),
      Type.String({ format: 'date-time' })
    )
  )

export const OrderBy = <const F extends string>(fields: readonly F[], description = 'Field to order by') =>
  Type.Unsafe<F>({ type: 'string', enum: [...fields], 'x-enum-varnames': fields.map(field => field.toUpperCase()), description })

/** Accepted in upper and lower case. The names distinguish the two in generated clients, where both would be `ASC`. */
export const Direction = (more: { default?: 'DESC'; description: string }) =>
  published(
    Type.Unsafe<'ASC' | 'DESC'>({
      type: 'string',
      enum: ['ASC', 'DESC'],
      'x-upper-case': true,
      'x-rule': 'one of ASC, DESC, asc, desc',
      ...more
    }),
    {
      type: 'string',
      enum: ['ASC', 'DESC', 'asc', 'desc'],
      'x-enum-varnames': ['ASC', 'DESC', 'LOWER_ASC', 'LOWER_DESC'],
      ...(more.default && { default: more.default })
    }
  )
export const OrderDirection = Direction({ default: 'DESC', description: 'Direction of the order' })
