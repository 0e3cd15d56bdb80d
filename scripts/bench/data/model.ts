import type { Db } from 'mongodb'
import { dataOf } from '../../../src/data/index.js'
import { trainModel } from '../../../src/recommendations/learning/training.js'

/** Trains the recommendation model on the generated histories, as `npm run train` does. */
export const trainOn = async (db: Db) => {
  const data = dataOf(db, { LOGIN_LIMIT: 0, ACCESS_TOKEN_TTL: 0, REFRESH_TOKEN_TTL: 0, REFRESH_GRACE: 0, COMPLETED_AT: 90 })
  await trainModel(data, { completedAt: 90, interestFrom: 5 })
}
