import { type Db, ObjectId } from 'mongodb'
import type { HistoryDocument } from '../../src/data/history.js'
import { ensureIndexes } from '../../src/data/index.js'
import { minutes } from '../../src/time.js'
import { fillCatalogue } from '../bench/data/catalogue.js'
import { ago, generate, insert } from '../bench/data/generate.js'
import type { Options } from './options.js'

const historyOfEach = 50

const watched = (user_id: number, n: number, contents: number): HistoryDocument => {
  const at = ago(minutes(30 * n))
  const content_id = 1 + ((user_id * 31 + n) % contents)
  return { _id: new ObjectId(), user_id, content_id, time: 60 * n, percentage: 2 * n, created_at: at, updated_at: at }
}

/** Creates a catalogue, and viewers who have watched some of it. */
export const fill = async (db: Db, { contents, viewers }: Pick<Options, 'contents' | 'viewers'>) => {
  await fillCatalogue(db, contents)
  for (let user = 1; user <= viewers; user++)
    await insert(
      db,
      'history',
      generate(historyOfEach, n => watched(user, n, contents))
    )
  await ensureIndexes(db)
}
