import type { Data } from '../data/index.js'
import { seconds } from '../time.js'
import { ExpiringIds } from './expiring-ids.js'

/** How far a read goes back beyond the start of the last one, because a write takes a moment to become visible. */
const overlap = seconds(5)
/** The same after a failed read. The primary may have changed since, and the clocks of two database servers may differ. */
const overlapAfterFailure = seconds(60)

/** How many of the 256 parts of the set each read cleans. */
const sweptAtOnce = 8

/** The ended sessions whose access tokens have not yet expired. In memory, so that refusing them takes no query. */
export class EndedSessions {
  private readonly ids = new ExpiringIds()
  private readAt: { wall: number; monotonic: number } | undefined
  private hasFailed = false

  get size() {
    return this.ids.size
  }

  has(sid: string) {
    return this.ids.has(sid)
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
