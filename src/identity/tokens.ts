import { Kept } from '../kept.js'

export interface Viewer {
  id: number
  /** The session of the service's own login; an identity provider's tokens have none. */
  sid?: string
}

/** Tells whom a token speaks for; null where it speaks for nobody. */
export interface Tokens {
  viewerOf: (token: string) => Viewer | null | Promise<Viewer | null>
}

/** In bytes; enough for some ten thousand viewers at once. */
const tokensKept = 12 * 1024 * 1024
/** Of what is known of a token, besides texts that are parts of it. */
const size = 400

/** A signature is checked once a token and process: players send the same one for an hour. */
export const keptTokens = <Checked>() => new Kept<string, Checked>(tokensKept, () => size)
