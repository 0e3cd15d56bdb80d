import { createPublicKey, type KeyObject } from 'node:crypto'
import {
  type CryptoKey,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type FlattenedJWSInput,
  type JWK,
  type JWSHeaderParameters
} from 'jose'
import { unavailable } from '../errors.js'
import { minutes, seconds } from '../time.js'

export interface ProviderKeys {
  algorithms: string[]
  /** Incremented by each refresh. */
  readonly edition: number
  /** Throws a jose error if no key matches the token, and a 503 if the keys are not known yet. */
  keyFor: (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey> | KeyObject
  close: () => void
}

const algorithmOf = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) => {
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength as number) >= 2048) return 'RS256'
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256'
  if (asymmetricKeyType === 'ed25519') return 'EdDSA'
  throw new Error('it must be an RSA key of 2048 bits or more, a P-256 key or an Ed25519 key')
}

/** A fixed key in PEM format. Its line breaks may be written as `\n`. */
export const keysFromPem = (pem: string): ProviderKeys => {
  const text = pem.replaceAll('\\n', '\n')
  if (text.includes('PRIVATE')) throw new Error('it is a private key, which only the identity provider may have')
  const key = createPublicKey(text)
  return { algorithms: [algorithmOf(key)], edition: 0, keyFor: () => key, close: () => {} }
}

const isPublicKey = (key: JWK | null) => {
  try {
    return createPublicKey({ key: key as JWK, format: 'jwk' }) && key?.d === undefined
  } catch {
    return false
  }
}

/** Leaves out invalid and private keys, because jose would reject the whole set, or find two keys with the same id. */
const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  if (response.status !== 200) return response
  const { keys } = (await response.json()) as { keys: unknown }
  return Response.json({ keys: Array.isArray(keys) ? keys.filter(isPublicKey) : undefined })
}

const refreshEvery = minutes(9)

/** The keys at a URL, refreshed regularly. If a refresh fails, the previous keys stay in use. */
export const keysFromUrl = (url: string, onFailure: (error: unknown) => void): ProviderKeys => {
  const published = createRemoteJWKSet(new URL(url), {
    timeoutDuration: seconds(2),
    // An unknown key id may belong to a new key, so jose fetches the keys again, at most once in this time.
    cooldownDuration: seconds(1),
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: fetchKeys
  })
  let edition = 0
  const onRefresh = () => {
    edition++
  }
  // Withdrawn keys must stop working within ten minutes.
  const refreshing = setInterval(() => published.reload().then(onRefresh, onFailure), refreshEvery).unref()

  return {
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    get edition() {
      return edition
    },
    keyFor: async (header, token) => {
      try {
        return await published(header, token)
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || published.jwks()) throw error
        onFailure(error)
        throw unavailable()
      }
    },
    close: () => clearInterval(refreshing)
  }
}
