import type { Collection, Filter } from 'mongodb'
import { type ErrorAnswer, forbidden } from '../errors.js'

export interface Owned {
  user_id: number
}

/** The error for an id that matched none of the user's documents: `forbidden` if it is another user's, else `missing`. */
export const forbiddenOr = async <T extends Owned>(
  missing: () => ErrorAnswer,
  collection: Collection<T>,
  id: Filter<T>
): Promise<ErrorAnswer> => ((await collection.findOne(id, { projection: { _id: 1 } })) ? forbidden() : missing())
