import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { integerId } from './ids.js'

const Claims = Type.Object({
  sub: Type.String(),
  sid: Type.String({ minLength: 1 }),
  iss: Type.String(),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  iat: Type.Number(),
  exp: Type.Number(),
  nbf: Type.Optional(Type.Number())
})
export type Claims = Static<typeof Claims>

const Token = TypeCompiler.Compile(Type.Object({ header: Type.Object({ crit: Type.Optional(Type.Undefined()) }), payload: Claims }))

/** Seconds that the clocks of two machines may differ. It never lengthens a token's life. */
const leeway = 5

/** Whom a token with a right signature speaks for; undefined where one of its claims does not hold. */
export const viewerOf = (token: unknown, expected: { iss: string; aud: string }, now: number) => {
  if (!Token.Check(token)) return undefined
  const { sub, sid, iss, aud, iat, exp, nbf = iat } = token.payload
  if (iss !== expected.iss || ![aud].flat().includes(expected.aud)) return undefined
  if (exp <= now || Math.max(iat, nbf) > now + leeway) return undefined
  const id = integerId(sub)
  return id === undefined ? undefined : { id, sid }
}
