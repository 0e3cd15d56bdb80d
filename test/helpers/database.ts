import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { type Db, type Document, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import type { CatalogueKind } from '../../src/catalogue/kinds.js'
import type { LegalDocument } from '../../src/catalogue/legal-documents.js'
import type { PersonDocument } from '../../src/catalogue/person-documents.js'
import type { ProgrammeDocument } from '../../src/catalogue/programmes.js'
import type { RailCollectionDocument } from '../../src/catalogue/rail-collections.js'
import type { SupportTextDocument } from '../../src/catalogue/support-texts.js'
import type { TermDocument } from '../../src/catalogue/term-documents.js'
import { validators } from '../../src/database/collections.js'
import { connectionTo } from '../../src/database/connection.js'
import { revisionsOf } from '../../src/database/revisions.js'
import { mongodProcess, runFolder } from './run.js'

const server = mongodProcess().url

const connection = MongoClient.connect(server)

/** Databases of finished tests, for `appUrl`. */
const used: string[] = []
/** Operations of a test may arrive after its end, so its database rests until this many others have been returned after it. */
const resting = 4
/** The files of many databases make mongod slow. */
const mostUsed = 8

/** A file for each database that a test process has left to those that start later. */
const left = join(runFolder(process.ppid), 'databases')
mkdirSync(left, { recursive: true })
t.teardown(async () => {
  const client = await connection
  for (const name of used.splice(resting + 1)) await client.db(name).dropDatabase()
  await client.close()
  for (const name of used) writeFileSync(join(left, name), '')
})

/** Takes a database that another process has left. Only one process can remove its file. */
const takeLeft = () =>
  readdirSync(left).find(name => {
    try {
      unlinkSync(join(left, name))
      return true
    } catch {
      return false
    }
  })

/** Those of the collections that hold a document. A test fills few of the thirty, and emptying all of them took a tenth of a start. */
const filled = async (db: Db, [first, ...others]: string[]) => {
  if (first === undefined) return []
  const named = (name: string) => [{ $limit: 1 }, { $project: { _id: { $literal: name } } }]
  const unions = others.map(name => ({ $unionWith: { coll: name, pipeline: named(name) } }))
  const found = await db
    .collection<{ _id: string }>(first)
    .aggregate([...named(first), ...unions])
    .toArray()
  return found.map(({ _id }) => _id as string)
}

const newName = () => `test-${randomUUID()}`

const usedOrNew = async () => {
  const name = used.length > resting ? used.shift() : takeLeft()
  if (name === undefined) return newName()
  const db = (await connection).db(name)
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  const names = await filled(
    db,
    collections.map(({ name }) => name)
  )
  await Promise.all(names.map(name => db.collection(name).deleteMany({})))
  return name
}

/** Whether a database has no more than the service would have made. */
const isPlain = async (db: Db) =>
  (await db.listCollections({}, { nameOnly: false }).toArray()).every(
    ({ name, options = {} }) => isDeepStrictEqual(options.validator, validators[name]) && !name.startsWith('system.')
  )

const urlOf = (t: Test, name: string) => {
  t.teardown(async () => {
    const db = (await connection).db(name)
    if (used.length < mostUsed && (await isPlain(db))) used.push(name)
    else await db.dropDatabase()
  })
  return `${server}/${name}`
}

/** A new database. */
export const databaseUrl = async (t: Test) => urlOf(t, newName())

/** An empty database that may have the collections of an earlier test: creating them takes half of the time in which an app starts. */
export const appUrl = async (t: Test) => urlOf(t, await usedOrNew())

export interface Seed {
  contents?: ContentDocument[]
  terms?: TermDocument[]
  people?: PersonDocument[]
  rail_collections?: RailCollectionDocument[]
  legal_documents?: LegalDocument[]
  programmes?: ProgrammeDocument[]
  support_texts?: SupportTextDocument[]
}

/** Stores documents in a database that nothing else uses yet. */
export const seed = async (url: string, documents: Seed) => {
  const { client, db } = connectionTo(url)
  for (const [kind, all] of Object.entries(documents)) {
    if (all.length === 0) continue
    // Some have what an earlier version, or other software, has left.
    await db.collection(kind).insertMany(all as Document[], { bypassDocumentValidation: true })
    await revisionsOf(db).raise(kind as CatalogueKind)
  }
  await client.close()
  return url
}

/** A database that holds these documents. */
export const seededUrl = async (t: Test, documents: Seed) => seed(await appUrl(t), documents)

/** The database of the app, for changes without the app. */
export const databaseOf = (app: FastifyInstance): Db =>
  app.mongoClient.db(new URL(app.settings.MONGO_URL.replace(/^mongodb/, 'http')).pathname.slice(1))

const literal = (fields: Document) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]))

/** Changes a document, stamped as a command does it, and tells every process. Without fields it is removed. */
export const change = async (app: FastifyInstance, kind: CatalogueKind, id: number | string, fields?: Document) => {
  const documents = databaseOf(app).collection<{ _id: number | string }>(kind)
  if (fields) await documents.updateOne({ _id: id }, [{ $set: { ...literal(fields), stamp: '$$NOW' } }], { upsert: true })
  else await documents.deleteOne({ _id: id })
  await app.data.revisions.raise(kind)
}

/** The cursors that wait for somebody to read on in a database. */
export const openCursors = (db: Db) =>
  db.client
    .db('admin')
    .aggregate([{ $currentOp: { allUsers: true, idleCursors: true } }, { $match: { type: 'idleCursor' } }])
    .toArray()
    .then(cursors => cursors.filter(({ ns }) => String(ns).startsWith(`${db.databaseName}.`)))
