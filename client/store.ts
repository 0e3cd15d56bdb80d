import type { Copy } from './copies.js'
import type { KeptReport, RefusedReport } from './kept-reports.js'
import type { Identity } from './provider-session.js'
import type { Session } from './session.js'

export interface Kept {
  session: Session
  /** Of apps with an identity provider of their own. */
  identity: Identity
  reports: KeptReport[]
  refused: RefusedReport[]
  /** One for each user. */
  [copy: `copy-${number}`]: Copy
}

/** Where the app keeps data beyond the life of the page. Values are plain JSON. A value that was never saved loads as null or undefined. */
export interface Store {
  load: <Name extends keyof Kept>(name: Name) => MaybePromise<Kept[Name] | null | undefined>
  save: <Name extends keyof Kept>(name: Name, value: Kept[Name] | null) => MaybePromise<void>
}
type MaybePromise<T> = T | Promise<T>

/** Keeps data in memory, for apps that provide no store. */
export const createMemory = (): Store => {
  const kept: { [Name in keyof Kept]?: Kept[Name] | null } = {}
  return {
    load: name => kept[name],
    save: (name, value) => {
      kept[name] = value
    }
  }
}
