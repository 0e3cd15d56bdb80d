import type { Db } from 'mongodb'
import type { HiddenRecord } from '../../../schemas/import.js'
import { maxDepth, topOf } from '../../catalogue/top-of.js'
import type { ContentDocument } from '../../data/contents.js'
import { ifNew, notAfterNow } from '../../data/lists.js'
import { arrivalIfNew } from '../../data/removals.js'
import type { ImportRun, Kind, Operation } from '../kind.js'
import { momentOf } from '../reading/moments.js'
import { operationTimeout } from '../timeouts.js'
import { checkReferences } from './user-content-pairs.js'

/** Finds the title of each content. The contents of the run are in the database by now. */
const titlesOf = async (db: Db, ids: number[]) => {
  const parents = new Map<number, number | null>()
  let level = new Set(ids)
  for (let depth = 0; depth <= maxDepth && level.size > 0; depth++) {
    const found = db
      .collection<ContentDocument>('contents')
      .find({ _id: { $in: [...level] } }, { ...operationTimeout, projection: { parent_id: 1 } })
    level = new Set()
    for await (const { _id, parent_id } of found) {
      parents.set(_id, parent_id)
      if (parent_id !== null && !parents.has(parent_id)) level.add(parent_id)
    }
  }
  const parentOf = (id: number) => {
    const parent = parents.get(id) ?? undefined
    return parent !== undefined && parents.has(parent) ? parent : undefined
  }
  return (id: number) => topOf(id, parentOf)
}

/** A title that is already hidden keeps its `created_at`, as with a repeated PUT. */
const insertion = (user_id: number, content_id: number, created_at: Date): Operation => {
  const fields = { created_at: ifNew('created_at', notAfterNow(created_at)), arrived_at: arrivalIfNew }
  return { updateOne: { filter: { user_id, content_id }, update: [{ $set: fields }], upsert: true } }
}

export const hidden = (run: ImportRun): Kind<HiddenRecord> => {
  const startedAt = new Date()
  return {
    collection: 'hidden',

    check: (entries, report) => checkReferences(run, entries, report),

    async operations(records) {
      const titleOf = await titlesOf(
        run.db,
        records.map(({ content_id }) => content_id)
      )
      return records.map(({ user_id, content_id, created_at }) =>
        insertion(user_id, titleOf(content_id), momentOf(created_at) ?? startedAt)
      )
    }
  }
}
