import type { Collection, Filter } from 'mongodb'
import { type Failure, forbidden } from '../errors.js'

interface Owned {
  user_id: number
}

/** Why nothing of the owner's matched an id: it is nobody's, or somebody else's. Asked only then. */
export const refusal = async <T extends Owned>(collection: Collection<T>, id: Filter<T>, missing: () => Failure): Promise<Failure> =>
  (await collection.findOne(id, { projection: { _id: 1 } })) ? forbidden() : missing()
