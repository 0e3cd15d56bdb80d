import type { Copy } from './copies.js'
import type { Acknowledged, KeptResponse } from './deeds.js'
import type { Place } from './offline.js'
import type { Identity } from './provider-session.js'
import type { Session } from './session.js'
import type { Kept, Refused } from './unsent.js'

export interface Stored {
  session: Session
  /** For apps with an identity provider. */
  identity: Identity
  /** Reports, ratings and preferences. */
  unsent: Kept[]
  refused: Refused[]
  /** One for each user. */
  [copy: `copy-${number}`]: Copy
  /** With `offline`, the index of the kept responses, each of which has its own name. */
  responses: Place[]
  [response: `response-${number}`]: KeptResponse
  /** With `offline`, what the viewer has done since. */
  deeds: Acknowledged[]
}

/** Where the app keeps data beyond the life of the page. Values are plain JSON. A value that was never saved loads as null or undefined. */
export interface Store {
  load: <Name extends keyof Stored>(name: Name) => MaybePromise<Stored[Name] | null | undefined>
  save: <Name extends keyof Stored>(name: Name, value: Stored[Name] | null) => MaybePromise<void>
}
type MaybePromise<T> = T | Promise<T>

/** Keeps data in memory, for apps that provide no store. */
export const createMemory = (): Store => {
  const kept: { [Name in keyof Stored]?: Stored[Name] | null } = {}
  return {
    load: name => kept[name],
    save: (name, value) => {
      kept[name] = value
    }
  }
}
