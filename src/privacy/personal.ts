import type { Db, Filter } from 'mongodb'
import { withRetries } from '../database/retry.js'
import type { ListElement } from '../viewing/lists.js'

interface PersonalDocument {
  _id: never
  user_id?: number
  account_id?: number
}

interface PersonalCollection {
  name: string
  owner: 'user_id' | 'account_id'
}

/** Removing more would take longer than an operation may. */
const removedAtOnce = 5000

const portionSize = 500

/** The documents of one user, profile or account, in all collections that have such documents. */
export const personalOf = (db: Db, collections: PersonalCollection[]) => {
  /** Returns whether there may be more. */
  const removeSome = async ({ name, owner }: PersonalCollection, id: number) => {
    const documents = db.collection<PersonalDocument>(name)
    const some = { projection: { _id: 1 }, limit: removedAtOnce, batchSize: removedAtOnce }
    const found = await withRetries(() => documents.find({ [owner]: id }, some).toArray())
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0) await withRetries(() => documents.deleteMany({ [owner]: id, _id: { $in: ids } }, { hint: { _id: 1 } }))
    return found.length === removedAtOnce
  }

  return {
    removeAll: async (id: number) => {
      for (const collection of collections) while (await removeSome(collection, id));
    },

    /**
     * All elements of a list, by a date that all should have. Each portion is a separate read, so that a slow reader holds no cursor. Ids
     * never change, so every element is in exactly one portion, even if it is moved to another item meanwhile.
     */
    portions: async function* (name: string, user_id: number, dated: string): AsyncGenerator<ListElement[]> {
      const options = { sort: { _id: 1 }, hint: { user_id: 1, _id: 1 }, limit: portionSize, batchSize: portionSize } as const
      const all: Filter<ListElement> = { user_id, [dated]: { $exists: true } }
      for (let last: ListElement | undefined; ; ) {
        const filter = last ? { ...all, _id: { $gt: last._id } } : all
        const portion = await withRetries(() => db.collection<ListElement>(name).find(filter, options).toArray())
        yield portion
        if (portion.length < portionSize) return
        last = portion.at(-1)
      }
    }
  }
}
