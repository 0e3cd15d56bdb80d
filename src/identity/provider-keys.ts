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

/** The keys of an identity provider, from its address or as one of them was given. */
export interface ProviderKeys {
  algorithms: string[]
  /** Rises when they were read again. */
  readonly edition: number
  /** Throws a fault of jose for a token that no key is for, and the 503 where the keys are not known. */
  keyFor: (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey> | KeyObject
  close: () => void
}

const algorithmOf = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) => {
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength as number) >= 2048) return 'RS256'
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256'
  if (asymmetricKeyType === 'ed25519') return 'EdDSA'
  throw new Error('it must be an RSA key of 2048 bits or more, a P-256 key or an Ed25519 key')
}

/** One key in PEM, whose line ends may be written as `\n`. */
export const keyOf = (pem: string): ProviderKeys => {
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

/** Leaves out what is no public key: jose would refuse the whole set for it, or find two keys under one name. */
const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  if (response.status !== 200) return response
  const { keys } = (await response.json()) as { keys: unknown }
  return Response.json({ keys: Array.isArray(keys) ? keys.filter(isPublicKey) : undefined })
}

const refreshEvery = minutes(9)

/** Those that the provider publishes. Once known they serve for as long as it cannot be reached. */
export const keysAt = (url: string, onFailure: (error: unknown) => void): ProviderKeys => {
  const published = createRemoteJWKSet(new URL(url), {
    timeoutDuration: seconds(2),
    // A key that is not known may be a new one: it is looked for at once, but no sooner than this after the last time.
    cooldownDuration: seconds(1),
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: fetchKeys
  })
  let edition = 0
  const reread = () => {
    edition++
  }
  // So that a key that was withdrawn goes, ten minutes later at most.
  const refreshing = setInterval(() => published.reload().then(reread, onFailure), refreshEvery).unref()

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
