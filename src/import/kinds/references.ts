import type { Db, Document } from 'mongodb'
import type { ContentDocument } from '../../catalogue/content-documents.js'
import { revisionsOf } from '../../database/revisions.js'
import type { ImportRun, WriteLimit } from '../kind.js'

/** What contents refer to by id. */
const nouns = { terms: 'term', people: 'person' } as const

/** Why contents must not refer to certain terms or people, by the ids of these. */
export const referenceFaults = async ({ ids, pruned }: ImportRun, kind: keyof typeof nouns, wanted: number[]) => {
  const noun = nouns[kind]
  const faultOf = (id: number) =>
    pruned.has(kind) ? `the ${noun} ${id} is not in the import, which removes it` : `there is no ${noun} ${id}`
  return new Map([...(await ids[kind].missing(wanted))].map(id => [id, faultOf(id)]))
}

/** Removes references to what is pruned. Clears the digest, so that an import that has it again also writes the contents again. */
export const pullReferences = async (db: Db, filter: Document, pulled: Document, limit: WriteLimit) => {
  const result = await db
    .collection<ContentDocument>('contents')
    .updateMany(
      filter,
      { $pull: pulled, $set: { digest: '', updated_at: new Date() }, $currentDate: { stamp: true } },
      { ...limit, writeConcern: { w: 'majority' } }
    )
  if (result.matchedCount > 0) await revisionsOf(db).raise('contents')
}
