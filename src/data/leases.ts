import { randomUUID } from 'node:crypto'
import type { Db } from 'mongodb'
import { seconds } from '../time.js'
import { withRetries } from './driver/retry.js'

interface LeaseDocument {
  _id: string
  holder: string
  expires_at: Date
}

/** How long a lease outlives a holder that crashed. */
const life = seconds(60)

/** For work that only one process may do at a time. */
export const leasesOf = (db: Db) => {
  const leases = db.collection<LeaseDocument>('leases')

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

  return {
    /** Does the work while holding the lease. Returns undefined if another process holds it. */
    withLease: async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> => {
      const holder = randomUUID()
      if (!(await take(name, holder))) return undefined
      let renewed: Promise<unknown> = Promise.resolve()
      const renewal = setInterval(() => {
        renewed = take(name, holder).catch(() => undefined)
      }, life / 3)
      try {
        return await work()
      } finally {
        clearInterval(renewal)
        // A renewal that arrives after the delete would take the lease again.
        await renewed
        await leases.deleteOne({ _id: name, holder }).catch(() => undefined)
      }
    }
  }
}
