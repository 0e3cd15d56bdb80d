import type { Db } from 'mongodb'
import { withRetries } from './driver/retry.js'

interface PersonalDocument {
  _id: never
  user_id: number
}

/** More would take longer than an operation may. */
const removedAtOnce = 5000

const portionSize = 500

/** The documents of one user in all collections that have a `user_id`. */
export const personalOf = (db: Db, collections: string[]) => {
  /** Returns whether there may be more. */
  const removeSome = async (name: string, user_id: number) => {
    const documents = db.collection<PersonalDocument>(name)
    const some = { projection: { _id: 1 }, limit: removedAtOnce, batchSize: removedAtOnce }
    const found = await withRetries(() => documents.find({ user_id }, some).toArray())
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0) await withRetries(() => documents.deleteMany({ user_id, _id: { $in: ids } }, { hint: { _id: 1 } }))
    return found.length === removedAtOnce
  }

  return {
    removeAll: async (user_id: number) => {
      for (const name of collections) while (await removeSome(name, user_id));
    },

    /** Each portion is a read of its own, so that a slow reader holds no cursor. No report changes the order, so no element is missed. */
    portions: async function* <Element extends { content_id: number }>(name: string, user_id: number): AsyncGenerator<Element[]> {
      const options = { sort: { content_id: 1 }, limit: portionSize, batchSize: portionSize } as const
      for (let last = Number.NEGATIVE_INFINITY; ; ) {
        const filter = { user_id, content_id: { $gt: last } }
        const portion = await withRetries(() => db.collection(name).find<Element>(filter, options).toArray())
        yield portion
        if (portion.length < portionSize) return
        last = (portion.at(-1) as Element).content_id
      }
    }
  }
}
