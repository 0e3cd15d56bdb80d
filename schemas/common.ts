import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** A moment on the wire: UTC, six fractional digits. Because of the brand, other strings do not compile in its place. */
export type Timestamp = string & { readonly timestamp: unique symbol }
export const Timestamp = Type.Unsafe<Timestamp>({ type: 'string', format: 'date-time', examples: ['2026-01-31T20:15:00.000000Z'] })

export const Nullable = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

export const Ok = <T extends TSchema>(data: T) => Type.Object({ success: Type.Literal(true), data })

/** The answer to a write. In the spec, the key of the message has a trailing space; the clean key is sent beside it. */
export const Done = Type.Object(
  {
    success: Type.Literal(true),
    code: Type.Integer(),
    'message ': Type.String({ description: 'The same text, under the key as the specification spells it' }),
    message: Type.String()
  },
  { $id: 'Done' }
)
export type Done = Static<typeof Done>

export const Failure = Type.Object(
  { success: Type.Literal(false), code: Type.Integer(), message: Type.String() },
  { $id: 'Failure', description: 'An error' }
)

export const Invalid = Type.Object(
  {
    success: Type.Literal(false),
    code: Type.Integer(),
    message: Type.String({ examples: ['perPage must be an integer from 1 to 100'] }),
    errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() })))
  },
  { $id: 'Invalid', description: 'An invalid request, with each invalid field and its rule' }
)

export const unauthenticatedMessage = 'Unauthenticated.'

export const Unauthenticated = Type.Object(
  { success: Type.Literal(false), message: Type.Literal(unauthenticatedMessage) },
  { $id: 'Unauthenticated', description: 'No valid bearer token, or a failed login' }
)
