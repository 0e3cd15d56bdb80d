import { createHash, timingSafeEqual } from 'node:crypto'
import type { TObject } from '@sinclair/typebox'
import { keysFromPem } from './provider-keys.js'

const sources = ['JWT_SECRET', 'JWT_JWKS_URL', 'JWT_PUBLIC_KEY']

/** Whether an identity provider signs the tokens. Sessions and passwords are then the provider's, too. */
export const hasProvider = ({ JWT_SECRET }: { JWT_SECRET?: string | undefined }) => JWT_SECRET === undefined

/** Requires `JWT_SECRET` in the schema, unless the settings name an identity provider. */
export const withTokenSource = (schema: TObject, settings: Record<string, unknown>): TObject => {
  const isChosen = !schema.properties.JWT_SECRET || sources.some(name => settings[name] !== undefined)
  return isChosen ? schema : { ...schema, required: [...(schema.required as string[]), 'JWT_SECRET'] }
}

/** Checks what a schema cannot express. */
export const refuseUnusableTokens = (settings: Record<string, unknown>) => {
  const { JWT_SECRET, JWT_PUBLIC_KEY } = settings
  const chosen = sources.filter(name => settings[name])
  if (chosen.length > 1)
    throw new Error(`${chosen.join(' and ')} are set: set only one, because tokens come from either the service or one identity provider`)
  if (JWT_SECRET) refuseWeakSecret('JWT_SECRET', String(JWT_SECRET))
  if (!JWT_PUBLIC_KEY) return
  try {
    keysFromPem(String(JWT_PUBLIC_KEY))
  } catch (error) {
    throw new Error(`JWT_PUBLIC_KEY is wrong: ${(error as Error).message}`)
  }
}

/** Placeholders that examples and templates contain. */
const placeholder = /(replace|change)[-_ ]?me|your[-_ ]?(jwt[-_ ]?)?secret/i

export const refuseWeakSecret = (name: string, secret: string) => {
  const advice = 'generate one, for example with `openssl rand -base64 48`'
  if (Buffer.byteLength(secret) < 32) throw new Error(`${name} is shorter than 32 bytes: ${advice}`)
  if (placeholder.test(secret)) throw new Error(`${name} is a well-known placeholder: ${advice}`)
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

/** Returns a function that tells whether an `Authorization` header has the key. Compares in constant time. */
export const importKey = (key: string) => {
  const expected = digestOf(Buffer.from(key))
  return (authorization = '') => {
    const [, given = ''] = /^Bearer (.*)$/i.exec(authorization) ?? []
    // Node decodes the bytes of headers as Latin-1.
    return timingSafeEqual(digestOf(Buffer.from(given, 'latin1')), expected)
  }
}
