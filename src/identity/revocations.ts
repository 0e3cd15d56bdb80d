import type { Data } from '../database/data.js'
import type { RevisionKind } from '../database/revisions.js'
import { minutes, seconds } from '../time.js'
import { ExpiringIds } from './expiring-ids.js'
import type { Viewer } from './tokens.js'

/** Not every change raises a revision, because operators may edit the database by hand, and processes may be killed after a write. */
const rereadEvery = minutes(10)

/** In milliseconds. Changes arrive within 2 s, unless the database does not respond. */
const outdatedAfter = 3000

/** What has changed since tokens were issued. In memory, so that no request has to query the database. */
export class Revocations {
  private disabled = new Set<number>()
  /** When each erased user is to be swept, by `performance.now()`, because the clocks of processes differ. */
  private sweeps = new Map<number, number>()
  private limits = new Map<number, number | undefined>()
  private readonly readAt = new Map<RevisionKind, { revision: number; at: number }>()
  /** When the database was last restored from a backup, in milliseconds. 0 if it never was. */
  restoredAt = 0
  private refreshedAt = 0

  constructor(
    private readonly data: Pick<Data, 'users' | 'erasures' | 'profiles' | 'restores' | 'revisions'>,
    readonly endedSessions = new EndedSessions()
  ) {}

  /** Rereads whatever may have changed. */
  async refresh() {
    const { users, erasures, profiles, restores, revisions } = this.data
    const began = performance.now()
    const current = await revisions.read()
    const reread = async (kind: RevisionKind, read: () => Promise<void>) => {
      const [revision, at, last] = [current.get(kind) ?? 0, performance.now(), this.readAt.get(kind)]
      if (last?.revision === revision && at - last.at < rereadEvery) return
      await read()
      this.readAt.set(kind, { revision, at })
    }
    await Promise.all([
      reread('disabled_users', async () => {
        this.disabled = await users.disabled()
      }),
      reread('erasures', async () => {
        const erased = await erasures.toSweep()
        this.sweeps = new Map(erased.map(({ _id, sweepIn }) => [_id, performance.now() + sweepIn]))
      }),
      reread('limits', async () => {
        this.limits = await profiles.changedLimits()
      }),
      restores.lastAt().then(at => {
        this.restoredAt = at
      })
    ])
    this.refreshedAt = began
  }

  /** Whether the user is disabled or erased. */
  isRefused(id: number) {
    return this.disabled.has(id) || this.sweeps.has(id)
  }

  hasErased(id: number) {
    return this.sweeps.has(id)
  }

  /** The viewer with the current age limit, or null if the token is refused. */
  unlessRevoked(viewer: Viewer): Viewer | null {
    const { id, account, sid, issuedAt } = viewer
    if (sid !== undefined && this.endedSessions.has(sid)) return null
    // Refuses own tokens from before a restore: the database has forgotten which sessions have ended since the backup, and may reassign ids
    // that were assigned since. Tokens of an identity provider have no `issuedAt`, and stay valid.
    if (issuedAt !== undefined && issuedAt < Math.floor(this.restoredAt / 1000)) return null
    return this.isRefused(id) || this.isRefused(account) ? null : this.withCurrentLimit(viewer)
  }

  /** Corrects an age limit that has changed since the token was issued, or since the profile was read. */
  withCurrentLimit(viewer: Viewer): Viewer {
    const current = this.limits.has(viewer.id) ? withLimit(viewer, this.limits.get(viewer.id)) : viewer
    return performance.now() - this.refreshedAt > outdatedAfter ? { ...current, isOutdated: true } : current
  }

  /** The erased users that are due to be swept. */
  dueSweeps() {
    const now = performance.now()
    return [...this.sweeps].filter(([, sweepAt]) => sweepAt <= now).map(([id]) => id)
  }

  /** Schedules the next sweep by this process. The next read replaces the schedule. */
  planSweep(id: number, milliseconds: number) {
    this.sweeps.set(id, performance.now() + milliseconds)
  }
}

const withLimit = ({ maxAge: _, ...others }: Viewer, maxAge: number | undefined): Viewer =>
  maxAge === undefined ? others : { ...others, maxAge }

/** How far reads overlap, because a write takes a moment to become visible. */
const overlap = seconds(5)
/** The same after a failed read. The primary may have changed since, and the clocks of two database servers may differ. */
const overlapAfterFailure = seconds(60)

/** How many of the 256 parts of the set each read cleans. */
const sweptAtOnce = 8

/** The ended sessions whose access tokens have not yet expired. */
export class EndedSessions {
  private readonly ids = new ExpiringIds()
  private readAt: { wall: number; monotonic: number } | undefined
  private hasFailed = false

  get size() {
    return this.ids.size
  }

  has(sid: string) {
    return this.size > 0 && this.ids.has(sid)
  }

  /** Notes sessions. `remaining` is how long their last access tokens are valid, in milliseconds. */
  add(sids: Iterable<string>, remaining: number) {
    const until = Math.ceil((Date.now() + remaining) / 1000)
    for (const sid of sids) this.ids.add(sid, until)
  }

  /** Reads what has ended since the last call; the first time, everything. */
  async refresh(sessions: Pick<Data['sessions'], 'ended'>) {
    const began = { wall: Date.now(), monotonic: performance.now() }
    // The wall clock may be set back, and the monotonic one stands still while the machine is suspended.
    const elapsed = this.readAt && Math.max(began.wall - this.readAt.wall, began.monotonic - this.readAt.monotonic)
    const since = elapsed === undefined ? undefined : elapsed + (this.hasFailed ? overlapAfterFailure : overlap)
    this.hasFailed = true
    for await (const batch of sessions.ended(since)) for (const { _id, remaining } of batch) this.add([_id], remaining)
    this.hasFailed = false
    this.readAt = began
    this.ids.sweep(Date.now() / 1000, sweptAtOnce)
  }
}
