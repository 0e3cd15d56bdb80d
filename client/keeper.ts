import type { components } from './schema.js'

export type User = components['schemas']['User']

/** Knows who is signed in, and has a valid token of theirs. */
export interface Keeper {
  /** Forgets the user. */
  leave: () => Promise<void>
  user: () => Promise<User | undefined>
  /** The user whose progress is reported, even after the session has ended. */
  reporter: () => Promise<User | undefined>
  hasEnded: () => boolean
  /** A token for the next call. If an owner is given, only a token of theirs. */
  token: (owner?: number) => Promise<string | undefined>
  /** The profile that was chosen for the user of this token, if tokens name only the account. */
  profileOf?: (token: string) => number | undefined
  /** A new token after one was refused, unless the session has ended. */
  tokenAfter: (refused: string, owner?: number) => Promise<string | undefined>
}
