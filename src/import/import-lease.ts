import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import type { ImportKind } from '../../schemas/import.js'
import { type Lease, leasesOf } from '../database/leases.js'
import { seconds } from '../time.js'

// An import of viewers' data may take hours, and must not keep the CMS from changing the catalogue meanwhile.
export const catalogueLease = 'import'
export const viewersLease = 'import of viewers'

const ofViewers: ImportKind[] = ['users', 'history', 'watchlist', 'hidden', 'ratings', 'preferences']

/** Only the holder of this lease may import files of the kind. */
export const leaseOf = (kind: ImportKind) => (ofViewers.includes(kind) ? viewersLease : catalogueLease)

const retryEvery = seconds(1)

interface TurnOptions {
  /** What is to be imported. Both leases may be needed. */
  kinds: ImportKind[]
  /** Called once, if another import is running. */
  onWait: () => void
  /** Stops waiting. */
  signal: AbortSignal
}

/** Does the work once no other process is importing such files. Returns undefined if aborted while waiting. */
export const withImportLease = async <T extends object>(
  db: Db,
  work: (lease: Pick<Lease, 'confirm'>) => Promise<T>,
  { kinds, onWait, signal }: TurnOptions
): Promise<T | undefined> => {
  // The lease for viewers comes first: it may be held for hours, and waiting for it must not keep the CMS out.
  const names = [viewersLease, catalogueLease].filter(name => kinds.some(kind => leaseOf(kind) === name))
  let isWaiting = false
  while (!signal.aborted) {
    const done = await withLeases(db, names, work)
    if (done) return done
    if (!isWaiting) onWait()
    isWaiting = true
    await sleep(retryEvery, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}

/** Takes the leases one after the other. Releases those it has if one is not free. */
const withLeases = async <T>(
  db: Db,
  [name, ...others]: string[],
  work: (lease: Pick<Lease, 'confirm'>) => Promise<T>,
  confirmed: Lease['confirm'] = async () => ({})
): Promise<T | undefined> => {
  if (name === undefined) return work({ confirm: confirmed })
  return leasesOf(db).withLease(name, ({ confirm }) =>
    withLeases(db, others, work, async () => {
      const limits = [await confirmed(), await confirm()]
      return { maxTimeMS: Math.min(...limits.map(({ maxTimeMS = Number.POSITIVE_INFINITY }) => maxTimeMS)) }
    })
  )
}
