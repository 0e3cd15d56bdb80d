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

/** A token whose signature was found right. Its header names nothing that must be understood. */
const tokenWith = <T extends TProperties>(claims: T) =>
  TypeCompiler.Compile(
    Type.Object({ header: Type.Object({ crit: Type.Optional(Type.Undefined()) }), payload: Type.Object({ ...common, ...claims }) })
  )

/** Of this service's own login. */
export const OwnToken = tokenWith({ sub: Type.String(), sid: Type.String({ minLength: 1 }) })
/** Of an identity provider. */
export const ProviderToken = tokenWith({ sub: Type.String({ minLength: 1 }) })

export type Claims = Static<typeof Common> & { sub: string; sid: string }

/** Seconds that the clocks of two machines may differ. It never lengthens a token's life. */
const leeway = 5

/** Whether claims are of whom and for whom they must be, and in force. */
export const hold = ({ iss, aud, iat, exp, nbf = iat }: Static<typeof Common>, expected: { iss: string; aud: string }, now: number) =>
  iss === expected.iss && [aud].flat().includes(expected.aud) && now < exp && Math.max(iat, nbf) <= now + leeway
