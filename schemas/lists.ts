import { type TSchema, Type } from '@sinclair/typebox'

export const maxValues = 100
export const maxValueLength = 200

/** A query parameter with one or more values, separated by commas or by repeating the parameter. */
export const Several = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: maxValues, style: 'form', explode: false, description }))

export const Ids = (description: string) => Several(Type.Integer(), description)
export const Names = (description: string) => Several(Type.String({ minLength: 1, maxLength: maxValueLength }), description)

export const OrderBy = <const F extends string>(fields: readonly F[], description = 'Field to order by') =>
  Type.Unsafe<F>({ type: 'string', enum: [...fields], description })

/** Accepted in upper and lower case. */
export const OrderDirection = Type.Unsafe<'ASC' | 'DESC'>({ type: 'string', enum: ['ASC', 'DESC'], default: 'DESC', 'x-upper-case': true })
