import type { TObject } from '@sinclair/typebox'
import { keysFromPem } from './provider-keys.js'
import { refuseWeakSecret } from './weak-secrets.js'

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
    throw new Error(`${chosen.join(' and ')} are set: set only one, since tokens come from the service or from one identity provider`)
  if (JWT_SECRET) refuseWeakSecret('JWT_SECRET', String(JWT_SECRET))
  if (!JWT_PUBLIC_KEY) return
  try {
    keysFromPem(String(JWT_PUBLIC_KEY))
  } catch (error) {
    throw new Error(`JWT_PUBLIC_KEY is wrong: ${(error as Error).message}`)
  }
}
