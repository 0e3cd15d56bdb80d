import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { component, published } from './published.js'

/** A timestamp as it is sent: UTC, six fractional digits. The brand keeps other strings from compiling in its place. */
export type Timestamp = string & { readonly timestamp: unique symbol }
export const Timestamp = Type.Unsafe<Timestamp>({ type: 'string', format: 'date-time', examples: ['2026-01-31T20:15:00.000000Z'] })

export const Nullable = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

/** Client generators cannot handle a boolean with one value. */
const Always = <B extends boolean>(value: B) => published(Type.Literal(value), Type.Boolean())

/** The response to a read. Give it a name if its data has none. */
export const Ok = <T extends TSchema>(data: T, $id = `${data.$id}Answer`) => Type.Object({ success: Always(true), data }, { $id })

const writeStatus = { success: Always(true), code: Type.Integer() }
const message = Type.String()
/**
 * The response to a write. In the spec, the key of the message has a trailing space; the clean key is sent beside it. Only the clean
 * key is published, because in most languages both would have the same name. The published form allows additional properties, because
 * otherwise strict clients would reject the response for its `message ` key.
 */
export const Done = published(
  Type.Object({ ...writeStatus, 'message ': message, message }, { $id: 'Done' }),
  Type.Object({ ...writeStatus, message }, { additionalProperties: true, description: 'The response to a write' })
)
export type Done = Static<typeof Done>

/** The response to a write that also returns data. The schema of the data needs an `$id`. */
export const DoneWith = <T extends TSchema>(data: T, $id: string) =>
  published(
    Type.Object({ ...writeStatus, 'message ': message, message, data }, { $id }),
    Type.Object({ ...writeStatus, message, data: component(data) }, { additionalProperties: true })
  )

export const Failure = Type.Object(
  { success: Always(false), code: Type.Integer(), message: Type.String() },
  { $id: 'Failure', description: 'An error' }
)

export const TooManyStreams = Type.Object(
  {
    ...Failure.properties,
    devices: Type.Array(Nullable(Type.String()), { description: 'The names of the devices that are playing, null for one without a name' })
  },
  { $id: 'TooManyStreams', description: 'The account is already playing on as many devices as it may' }
)

export const FieldError = Type.Object({ field: Type.String(), message: Type.String() }, { $id: 'FieldError' })
export type FieldError = Static<typeof FieldError>

/** The highest minimum age of an item. */
export const oldest = 21

/** Why a device has no tokens yet, in the words of RFC 8628. */
const deviceRefusals = ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'] as const
export type DeviceRefusal = (typeof deviceRefusals)[number]

export const Invalid = Type.Object(
  {
    success: Always(false),
    code: Type.Integer(),
    message: Type.String({ examples: ['perPage must be an integer from 1 to 100'] }),
    errors: Type.Optional(Type.Array(Type.Ref(FieldError.$id as string))),
    error: Type.Optional(
      Type.Unsafe<DeviceRefusal>({
        type: 'string',
        enum: [...deviceRefusals],
        description: 'Only in responses of POST /login/device/token'
      })
    )
  },
  { $id: 'Invalid', description: 'An invalid request, with each invalid field and its rule' }
)

export const unauthenticatedMessage = 'Unauthenticated.'

export const Unauthenticated = Type.Object(
  { success: Always(false), message: published(Type.Literal(unauthenticatedMessage), Type.String({ examples: [unauthenticatedMessage] })) },
  { $id: 'Unauthenticated', description: 'No valid bearer token, a session that has ended, or a failed login' }
)

/** The schemas that others refer to by `$ref`, in the validator and in the OpenAPI document. */
export const sharedSchemas = [FieldError, Failure, Invalid, TooManyStreams, Unauthenticated]
