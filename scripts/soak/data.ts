import type { Db } from 'mongodb'
import { ensureIndexes } from '../../src/data/index.js'
import { fillCatalogue } from '../bench/data/catalogue.js'
import { fillHistories } from '../bench/data/histories.js'
import type { Options } from './options.js'

const seed = 1
const historyOfEach = 50

/** A catalogue, and viewers who have watched some of it. */
export const fill = async (db: Db, { contents, viewers }: Options) => {
  await fillCatalogue(db, contents, seed)
  await fillHistories(db, Array<number>(viewers).fill(historyOfEach), seed)
  await ensureIndexes(db)
}
