import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

const common = {
  iss: Type.String(),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  iat: Type.Number(),
  exp: Type.Number(),
  nbf: Type.Optional(Type.Number())
}
const CommonClaims = Type.Object(common)
export type CommonClaims = Static<typeof CommonClaims>

const claimsWith = <T extends TProperties>(claims: T) => TypeCompiler.Compile(Type.Object({ ...common, ...claims }))

/** The claims of a token of this service's own login. */
export const OwnClaims = claimsWith({
  sub: Type.String(),
  sid: Type.String({ minLength: 1 }),
  /** The account, if it is not `sub`. */
  acc: Type.Optional(Type.String()),
  max_age: Type.Optional(Type.Integer({ minimum: 0 }))
})
/** The claims of a token of an identity provider. */
export const ProviderClaims = claimsWith({ sub: Type.String({ minLength: 1 }) })

export type Claims = CommonClaims & { sub: string; sid: string; acc?: string; max_age?: number }

/** Whether the header of a token has no `crit`, which lists extensions that a reader has to understand. */
export const hasNoExtensions = (header: { crit?: unknown }) => header.crit === undefined

/** Allowed clock skew in seconds. It does not apply to `exp`. */
const leeway = 5

/** Whether the issuer and the audience are the expected ones, and the token is valid now. */
export const areValid = ({ iss, aud, iat, exp, nbf = iat }: CommonClaims, expected: { iss: string; aud: string }, now: number) =>
  iss === expected.iss && [aud].flat().includes(expected.aud) && now < exp && Math.max(iat, nbf) <= now + leeway
