import { randomUUID } from 'node:crypto'
import type { Db } from 'mongodb'
import { seconds } from '../time.js'
import { persist } from './driver/retry.js'

interface LeaseDocument {
  _id: string
  holder: string
  expires_at: Date
}

/** A holder that dies is waited for so long. */
const life = seconds(60)

/** What one process at a time may do. */
export const leasesOf = (db: Db) => {
  const leases = db.collection<LeaseDocument>('leases')

  const take = async (name: string, holder: string) => {
    const free = { $or: [{ $eq: [{ $ifNull: ['$holder', holder] }, holder] }, { $lte: ['$expires_at', '$$NOW'] }] }
    const lease = await persist(() =>
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
    /** Does the work while no other process does; undefined where another one is at it. */
    while: async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> => {
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
        // One that came after the end would hold the lease for nobody.
        await renewed
        await leases.deleteOne({ _id: name, holder }).catch(() => undefined)
      }
    }
  }
}
