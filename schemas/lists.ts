import { type TSchema, Type } from '@sinclair/typebox'

/** A query parameter of one or several values separated by commas. */
export const Several = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, style: 'form', explode: false, description }))

export const Ids = (description: string) => Several(Type.Integer(), description)
export const Names = (description: string) => Several(Type.String({ minLength: 1 }), description)

export const OrderBy = <const F extends string>(fields: readonly F[], description = 'Field used for ordering') =>
  Type.Unsafe<F>({ type: 'string', enum: [...fields], description })

/** In upper or lower case. */
export const OrderDirection = Type.Unsafe<'ASC' | 'DESC'>({ type: 'string', enum: ['ASC', 'DESC'], default: 'DESC', 'x-upper-case': true })
