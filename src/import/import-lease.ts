import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { type Lease, leasesOf } from '../database/leases.js'
import { seconds } from '../time.js'

/** Only the holder of this lease may import. */
export const importLease = 'import'

const retryEvery = seconds(1)

interface TurnOptions {
  /** Called once, if another import is running. */
  onWait: () => void
  /** Stops waiting. */
  signal: AbortSignal
}

/** Does the work once no other process imports. Returns undefined if aborted while waiting. */
export const withImportLease = async <T extends object>(
  db: Db,
  work: (lease: Lease) => Promise<T>,
  { onWait, signal }: TurnOptions
): Promise<T | undefined> => {
  const leases = leasesOf(db)
  let isWaiting = false
  while (!signal.aborted) {
    const done = await leases.withLease(importLease, work)
    if (done) return done
    if (!isWaiting) onWait()
    isWaiting = true
    await sleep(retryEvery, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}
