import { Cache } from '../cache.js'
import type { Data } from '../database/data.js'
import { unavailable } from '../errors.js'
import { withDeadline } from '../overload/deadlines.js'
import type { Outage } from '../overload/outage.js'
import { minutes } from '../time.js'
import { profilesKeptFor } from './profile-documents.js'
import type { Viewer } from './tokens.js'

/** The request header in which apps with an identity provider name the profile. */
export const profileHeader = 'Viewer-Profile'

interface Read {
  viewer: Viewer
  /** By `performance.now()`. */
  at: number
}

const keptFor = minutes(1)
/** Enough for about 25,000 viewers. */
const cacheBytes = 8 * 1024 * 1024
const size = 160

const keyOf = (account: number, id: number) => `${account} ${id}`

/** The profiles chosen by users of an identity provider. Each is read once a minute. */
export class ChosenProfiles {
  private readonly read = new Cache<string, Read>(cacheBytes, () => size)
  private readonly pending = new Map<string, Promise<Viewer | undefined>>()

  constructor(
    private readonly profiles: Pick<Data['profiles'], 'limitOf'>,
    private readonly outage: Outage
  ) {}

  /** The viewer, or undefined if it has to be looked up. While the database is unavailable, returns the viewer as last read. */
  known(account: number, id: number) {
    if (this.outage.isKnown) return this.outdated(account, id)
    const read = this.read.get(keyOf(account, id))
    return read && performance.now() - read.at < keptFor ? read.viewer : undefined
  }

  /** The viewer as last read, unless that was so long ago that a change of its age limit may have been forgotten. */
  private outdated(account: number, id: number): Viewer | undefined {
    const read = this.read.get(keyOf(account, id))
    return read && performance.now() - read.at < profilesKeptFor ? { ...read.viewer, isOutdated: true } : undefined
  }

  /** The viewer, or undefined if it is not a profile of the account. `patience` is in milliseconds. */
  async lookUp(account: number, id: number, patience: number) {
    if (this.outage.isKnown) throw unavailable()
    try {
      return await withDeadline(this.ask(account, id), patience)
    } catch (error) {
      this.outage.noteOrThrow(error)
      const last = this.outdated(account, id)
      if (!last) throw error
      return last
    }
  }

  /** Concurrent calls for a profile share one read. */
  private ask(account: number, id: number) {
    const key = keyOf(account, id)
    const pending = this.pending.get(key) ?? this.readAnew(account, id).finally(() => this.pending.delete(key))
    this.pending.set(key, pending)
    return pending
  }

  private async readAnew(account: number, id: number) {
    const limit = await this.profiles.limitOf(account, id)
    if (limit === undefined) {
      this.read.delete(keyOf(account, id))
      return undefined
    }
    const viewer = { id, account, ...(limit !== null && { maxAge: limit }) }
    this.read.set(keyOf(account, id), { viewer, at: performance.now() })
    return viewer
  }
}
