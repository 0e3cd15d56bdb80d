import type { Db, Document, IndexDescription, ObjectId } from 'mongodb'
import type { ExportedSeen } from '../../../schemas/export.js'
import { date, id, listOf, objectId, objectOf, validatorOf } from '../../database/bson-schema.js'
import { withRetries } from '../../database/retry.js'
import { days, minutes, timestamp } from '../../time.js'

interface SeenTitle {
  content_id: number
  /** The latest times that it was on the screen, oldest first. */
  at: Date[]
}

/** The suggestions that a viewer has seen. One document, because there are many of them, and each says little. */
interface SeenDocument {
  _id: ObjectId
  user_id: number
  /** The title seen longest ago comes first. */
  titles: SeenTitle[]
}

export const seenValidator = validatorOf<SeenDocument>({
  _id: objectId,
  user_id: id,
  titles: listOf(objectOf<SeenTitle>({ content_id: id, at: listOf(date) }))
})

export const seenIndexes: IndexDescription[] = [{ key: { user_id: 1 }, unique: true }]

/** How many titles are kept per viewer. */
const mostTitles = 500
/** A title fades once it was seen this many times within this period, unless it was started since the first time. */
const enough = 5
const within = days(30)
/** After the last time. */
const fadesFor = days(14)
/** The minimum between two times that count separately. */
const apart = minutes(30)

const ago = (milliseconds: number) => ({ $subtract: ['$$NOW', milliseconds] })

const before = (milliseconds: number) => new Date(Date.now() - milliseconds)

/** Stages that return a row for each title that a viewer has seen but not started, with the first time. */
export const seenInVain = (): Document[] => [
  { $unwind: '$titles' },
  { $match: { 'titles.at.0': { $gte: before(within) }, [`titles.at.${enough - 1}`]: { $gt: before(fadesFor) } } },
  { $project: { _id: 0, seen: '$titles.content_id', seen_since: { $first: '$titles.at' } } }
]

export const seenOf = (db: Db) => {
  const seen = db.collection<SeenDocument>('seen')
  return {
    /** `titles` has the ids of each title, its own first. What is stored under its earlier ids is merged into it. */
    add: (user_id: number, titles: number[][]) => {
      const stored = {
        known: { $ifNull: ['$titles.content_id', []] },
        occasions: { $ifNull: ['$titles.at', []] },
        others: {
          $filter: { input: { $ifNull: ['$titles', []] }, cond: { $not: { $in: ['$$this.content_id', { $literal: titles.flat() }] } } }
        }
      }
      const ofId = {
        $let: {
          vars: { place: { $indexOfArray: ['$$known', '$$this'] } },
          in: { $cond: [{ $lt: ['$$place', 0] }, [], { $arrayElemAt: ['$$occasions', '$$place'] }] }
        }
      }
      const ofTitle = { $reduce: { input: '$$ids', initialValue: [], in: { $concatArrays: ['$$value', ofId] } } }
      // Within this time, it counts as the same time.
      const isAnother = { $lte: [{ $ifNull: [{ $last: '$$at' }, new Date(0)] }, ago(apart)] }
      const added = {
        $map: {
          input: { $literal: titles },
          as: 'ids',
          in: {
            content_id: { $first: '$$ids' },
            at: {
              $let: {
                vars: { at: { $sortArray: { input: ofTitle, sortBy: 1 } } },
                in: { $slice: [{ $concatArrays: ['$$at', { $cond: [isAnother, ['$$NOW'], []] }] }, -enough] }
              }
            }
          }
        }
      }
      const latest = { $let: { vars: stored, in: { $slice: [{ $concatArrays: ['$$others', added] }, -mostTitles] } } }
      return withRetries(() => seen.updateOne({ user_id }, [{ $set: { titles: latest } }], { upsert: true }))
    },

    exported: async (user_id: number): Promise<ExportedSeen[]> => {
      const document = await withRetries(() => seen.findOne({ user_id }))
      return (document?.titles ?? []).map(({ content_id, at }) => ({ user_id, content_id, seen_at: at.map(timestamp) }))
    }
  }
}
