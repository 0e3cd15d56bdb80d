import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

const common = {
  iss: Type.String(),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  iat: Type.Number(),
  exp: Type.Number(),
  nbf: Type.Optional(Type.Number())
}
const Common = Type.Object(common)

/** A decoded token. It must not have a `crit` header, which lists extensions that a reader has to understand. */
const tokenWith = <T extends TProperties>(claims: T) =>
  TypeCompiler.Compile(
    Type.Object({ header: Type.Object({ crit: Type.Optional(Type.Undefined()) }), payload: Type.Object({ ...common, ...claims }) })
  )

/** A token of this service's own login. */
export const OwnToken = tokenWith({
  sub: Type.String(),
  sid: Type.String({ minLength: 1 }),
  /** The account, if it is not `sub`. */
  acc: Type.Optional(Type.String()),
  max_age: Type.Optional(Type.Integer({ minimum: 0 }))
})
/** A token of an identity provider. */
export const ProviderToken = tokenWith({ sub: Type.String({ minLength: 1 }) })

export type Claims = Static<typeof Common> & { sub: string; sid: string; acc?: string; max_age?: number }

/** Allowed clock skew in seconds. It does not apply to `exp`. */
const leeway = 5

/** Whether the issuer and the audience are the expected ones, and the token is valid now. */
export const areValid = ({ iss, aud, iat, exp, nbf = iat }: Static<typeof Common>, expected: { iss: string; aud: string }, now: number) =>
  iss === expected.iss && [aud].flat().includes(expected.aud) && now < exp && Math.max(iat, nbf) <= now + leeway
