import type { Document } from 'mongodb'
import type { Test } from 'tap'
import { connectionTo } from '../../src/data/driver/connection.js'
import { ImportError, type ImportOptions, importFiles } from '../../src/import/index.js'
import { databaseUrl } from '../helper.js'

export const bcryptHash = '$2y$04$IPKmlXL0l94y.zmPeo5TNOYbuNewtrtV8Uu2dF69tHT2YrOnUoyw2'

type Texts = Record<string, string>

/** A database of one's own with the import bound to it. */
export const importer = async (t: Test) => {
  const url = await databaseUrl(t)
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())

  const run = (texts: Texts, options: ImportOptions = {}) => importFiles(db, texts, { issuer: 'https://id.example.com', ...options })
  return {
    url,
    db,
    run,
    /** The counts of the kinds as numbers: added, changed, unchanged and, where asked for, pruned. */
    counts: async (texts: Texts, options: ImportOptions = {}) => {
      const { kinds } = await run(texts, options)
      return Object.fromEntries(Object.entries(kinds).map(([kind, counts]) => [kind, Object.values(counts)]))
    },
    /** The lines that say what is wrong with the files. */
    faults: async (texts: Texts, options: ImportOptions = {}) => {
      try {
        await run(texts, options)
      } catch (error) {
        if (error instanceof ImportError) return error.message.split('\n')
        throw error
      }
      return []
    },
    all: (collection: string) => db.collection<Document>(collection).find().sort({ _id: 1 }).toArray(),
    /** The document of an id, empty where there is none. */
    one: async (collection: string, _id: number | string): Promise<Document> =>
      (await db.collection<{ _id: number | string }>(collection).findOne({ _id })) ?? {},
    revision: async (kind: string) =>
      (await db.collection<{ _id: string; revision: number }>('revisions').findOne({ _id: kind }))?.revision ?? 0
  }
}

export const lines = (...records: object[]) => records.map(record => JSON.stringify(record)).join('\n')
