import type { Document } from 'mongodb'
import type { Test } from 'tap'
import { connectionTo } from '../../src/database/connection.js'
import { ImportError, type ImportOptions, importFiles } from '../../src/import/index.js'
import { databaseUrl } from '../helpers/database.js'

export const bcryptHash = '$2y$04$IPKmlXL0l94y.zmPeo5TNOYbuNewtrtV8Uu2dF69tHT2YrOnUoyw2'

type Texts = Record<string, string>

/** A new database, and the import bound to it. */
export const importer = async (t: Test) => {
  const url = await databaseUrl(t)
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())

  const importAll = (texts: Texts, options: ImportOptions) => importFiles(db, texts, { issuer: 'https://id.example.com', ...options })
  /** Imports, after a check that has to foresee what comes of it. */
  const run = async (texts: Texts, options: ImportOptions = {}) => {
    const isInterfering = options.signal ?? options.confirm ?? options.onProgress
    if (isInterfering || options.check) return importAll(texts, options)
    const foreseen = await importAll(texts, { ...options, check: true }).catch((error: Error) => error)
    try {
      const result = await importAll(texts, options)
      t.strictSame(foreseen, result, 'a check foresees what an import does')
      return result
    } catch (error) {
      if (error instanceof ImportError) t.equal((foreseen as Error).message, error.message, 'a check finds what is wrong')
      throw error
    }
  }
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

export const film = (id: number, more: object = {}) => ({ id, type: 'film', name: `Film ${id}`, ...more })

export const user = (id: number, more: object = {}) => ({
  id,
  email: `u${id}@example.com`,
  name: `User ${id}`,
  password_hash: bcryptHash,
  ...more
})

export const term = (id: number, more: object = {}) => ({ id, vendor_id: `v${id}`, name: `Term ${id}`, taxonomy: 'category', ...more })

export const rail = (id: number, more: object = {}) => ({ id, name: `Rail ${id}`, mname: `rail_${id}`, query: { type: 'film' }, ...more })

export const show = (id: number, more: object = {}) => ({
  id,
  channel: 'one',
  starts_at: '2026-01-01T10:00:00Z',
  ends_at: '2026-01-01T11:00:00Z',
  content_id: 1,
  ...more
})

export const legalText = (language: string, more: object = {}) => ({
  language,
  title: 'Terms',
  sections: [{ title: 'One', content: '<p>1</p>' }],
  ...more
})

export const supportText = (id: number, more: object = {}) => ({
  id,
  context: 'login',
  language: 'en',
  title: 'Help',
  content: 'Do this',
  ...more
})

export const everything = {
  'users.ndjson': lines(user(1), { id: 2, sub: 'abc' }),
  'terms.ndjson': lines(term(1), { vendor_id: 'free', name: 'Free', taxonomy: 'category' }),
  'people.ndjson': lines({ id: 1, name: 'Ines Halvorsen' }, { id: 2, name: 'Tomás Ré', image: 'https://images.example/2.jpg' }),
  'contents.ndjson': lines(
    film(1, { terms: [1], credits: [{ person_id: 2, role: 'actor', character: 'Mora' }] }),
    film(2, { parent_id: 3 }),
    film(3)
  ),
  'rail-collections.json': JSON.stringify([rail(1, { rails: [rail(2), rail(3)] })]),
  'legal.ndjson': lines(legalText('en'), legalText('de-CH')),
  'schedule.ndjson': lines(show(1), show(2, { channel: 'two' })),
  'support-texts.ndjson': lines(supportText(1), supportText(1, { language: 'de' })),
  'history.ndjson': lines(
    { user_id: 1, content_id: 1, time: 5, percentage: 50 },
    { user_id: 2, content_id: 1, updated_at: '2024-01-01T00:00:00Z' }
  ),
  'watchlist.ndjson': lines({ user_id: 1, content_id: 1 }, { user_id: 1, content_id: 2, id: 70 }),
  'hidden.ndjson': lines({ user_id: 1, content_id: 2 }),
  'ratings.ndjson': lines({ user_id: 1, content_id: 2, rating: 'like' }),
  'preferences.ndjson': lines({ user_id: 1, content_id: 2, audio: 'en' }, { user_id: 1, content_id: null, subtitles: 'off' })
}

export const withViewers = async (t: Test) => {
  const imports = await importer(t)
  await imports.run({ 'users.ndjson': lines(user(1), user(2)), 'contents.ndjson': lines(film(1), film(2), film(3)) })
  return imports
}
