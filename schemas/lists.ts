import { type TSchema, Type } from '@sinclair/typebox'

/** What a query parameter may hold: how many values, and how long each may be. */
export const maxValues = 100
export const maxValueLength = 200

/** A query parameter of one or several values, separated by commas or by repeating it. */
export const Several = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: maxValues, style: 'form', explode: false, description }))

export const Ids = (description: string) => Several(Type.Integer(), description)
export const Names = (description: string) => Several(Type.String({ minLength: 1, maxLength: maxValueLength }), description)

export const OrderBy = <const F extends string>(fields: readonly F[], description = 'Field used for ordering') =>
  Type.Unsafe<F>({ type: 'string', enum: [...fields], description })

/** In upper or lower case. */
export const OrderDirection = Type.Unsafe<'ASC' | 'DESC'>({ type: 'string', enum: ['ASC', 'DESC'], default: 'DESC', 'x-upper-case': true })
