import { randomUUID } from 'node:crypto'
import type { Db } from 'mongodb'
import { seconds } from '../time.js'
import { isUnavailable } from './faults.js'
import { withRetries } from './retry.js'

interface LeaseDocument {
  _id: string
  holder: string
  expires_at: Date
}

/** How long a lease outlives a crashed holder. */
const usualLife = seconds(60)

/** The lease has expired, so another process may have done the same work since. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`The lease of this ${name} ran out, probably because the database did not respond for too long`)
  }
}

export interface Lease {
  holder: string
  /** Renews the lease, or throws `LeaseLost`. Call it before each write and pass the result on, so that the write ends before the lease. */
  confirm: () => Promise<{ maxTimeMS?: number }>
}

export interface TakenLease extends Lease {
  /** Lets the lease expire instead of ending it after the work, because the database may still be executing a write. */
  leave: () => void
}

/** For work that only one process may do at a time. */
export const leasesOf = (db: Db, life = usualLife) => {
  const leases = db.collection<LeaseDocument>('leases')
  const renewEvery = life / 3
  /** How long after its confirmation a write may take. The other half is for clock drift and slow networks. */
  const writesFor = life / 2

  const take = async (name: string, holder: string) => {
    const free = { $or: [{ $eq: [{ $ifNull: ['$holder', holder] }, holder] }, { $lte: ['$expires_at', '$$NOW'] }] }
    const lease = await withRetries(() =>
      leases.findOneAndUpdate(
        { _id: name },
        [
          {
            $set: {
              holder: { $cond: [free, holder, '$holder'] },
              expires_at: { $cond: [free, { $add: ['$$NOW', life] }, '$expires_at'] }
            }
          }
        ],
        { upsert: true, returnDocument: 'after' }
      )
    )
    return lease?.holder === holder
  }

  /** Never renews an expired lease, because another process may have held it in between. */
  const renew = async (name: string, holder: string) => {
    const { matchedCount } = await withRetries(() =>
      leases.updateOne({ _id: name, holder, $expr: { $gt: ['$expires_at', '$$NOW'] } }, [
        { $set: { expires_at: { $add: ['$$NOW', life] } } }
      ])
    )
    return matchedCount === 1
  }

  /** A lease taken by `withLease`, in this process or in the one that started it. */
  const held = (name: string, holder: string): Lease => ({
    holder,
    confirm: async () => {
      const began = performance.now()
      if (!(await renew(name, holder))) throw new LeaseLost(name)
      return { maxTimeMS: Math.round(began + writesFor - performance.now()) }
    }
  })

  return {
    held,

    /** Does the work while holding the lease. Returns undefined if another process holds it. */
    withLease: async <T>(name: string, work: (lease: TakenLease) => Promise<T>): Promise<T | undefined> => {
      const holder = randomUUID()
      if (!(await take(name, holder))) return undefined
      let mayStillWrite = false
      const leave = () => {
        mayStillWrite = true
      }
      const leaveIfLost = (error: unknown) => {
        if (isUnavailable(error)) leave()
        throw error
      }
      // A failed renewal is noticed when the next write confirms the lease.
      const renewal = setInterval(() => void renew(name, holder).catch(() => undefined), renewEvery)
      try {
        return await work({ ...held(name, holder), leave }).catch(leaveIfLost)
      } finally {
        clearInterval(renewal)
        if (!mayStillWrite) await leases.deleteOne({ _id: name, holder }).catch(() => undefined)
      }
    }
  }
}
