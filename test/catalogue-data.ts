import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Document } from 'mongodb'
import type { Test } from 'tap'
import { wordsOf } from '../src/catalogue/words.js'
import type { CatalogueKind } from '../src/data/catalogue.js'
import type { ContentDocument } from '../src/data/contents.js'
import { connectionTo } from '../src/data/driver/connection.js'
import type { LegalDocument } from '../src/data/legal-documents.js'
import type { ProgrammeDocument } from '../src/data/programmes.js'
import type { RailCollectionDocument, RailDocument } from '../src/data/rail-collections.js'
import { revisionsOf } from '../src/data/revisions.js'
import type { SupportTextDocument } from '../src/data/support-texts.js'
import type { TermDocument } from '../src/data/terms.js'
import { type App, type BuildOptions, build, databaseUrl } from './helper.js'

export const long = new Date('2020-01-02T03:04:05.678Z')
const written = () => ({ digest: randomUUID(), stamp: new Date() })

export const content = (id: number, given: Partial<ContentDocument> = {}): ContentDocument => {
  const document: ContentDocument = {
    _id: id,
    parent_id: null,
    type: 'show',
    handler: 'vimeo',
    handler_type: 'entry',
    handler_id: `media-${id}`,
    name: `Content ${id}`,
    title: {},
    description: {},
    weight: null,
    thumbnail: `https://images.example/${id}.jpg`,
    thumbnail_handler: 'vimeo',
    keywords: '',
    pricing: null,
    payments_asset_id: null,
    purchaseable: 0,
    start_date: long,
    end_date: null,
    countries_include: null,
    countries_exclude: null,
    created_at: long,
    updated_at: long,
    currency: null,
    price: null,
    price_formatted: null,
    plans: {},
    link: `https://example.com/watch/${id}`,
    deleted_at: null,
    terms: [],
    position: null,
    words: [],
    ...written(),
    ...given
  }
  const { name, title, description, keywords } = document
  return { ...document, words: wordsOf(name, ...Object.values(title), ...Object.values(description), keywords) }
}

export const term = (id: number, given: Partial<TermDocument> = {}): TermDocument => ({
  _id: id,
  vendor_id: `vendor-${id}`,
  name: `Term ${id}`,
  taxonomy: 'category',
  created_at: long,
  updated_at: long,
  ...written(),
  ...given
})

export const rail = (id: number, query: Record<string, string>, given: Partial<RailDocument> = {}): RailDocument => ({
  id,
  name: `Rail ${id}`,
  mname: `rail_${id}`,
  query,
  framework_through_key: id,
  created_at: long,
  updated_at: long,
  ...given
})

export const railCollection = (
  id: number,
  query: Record<string, string>,
  given: Partial<RailCollectionDocument> = {}
): RailCollectionDocument => {
  const { id: _id, ...fields } = rail(id, query)
  return { _id, ...fields, rails: [], ...written(), ...given }
}

export const legal = (language: string, given: Partial<LegalDocument> = {}): LegalDocument => ({
  _id: language,
  title: `Terms in ${language}`,
  sections: [{ title: 'Cookies', content: `<p>Cookies in ${language}</p>` }],
  ...written(),
  ...given
})

export const programme = (
  id: number,
  content_id: number,
  starts: string,
  ends: string,
  given: Partial<ProgrammeDocument> = {}
): ProgrammeDocument => ({
  _id: id,
  channel: 'one',
  starts_at: new Date(starts),
  ends_at: new Date(ends),
  content_id,
  ...written(),
  ...given
})

export const supportText = (id: number, language: string, given: Partial<SupportTextDocument> = {}): SupportTextDocument => ({
  _id: `${id}/${language}`,
  id,
  language,
  context: 'playback',
  title: `Title ${id} in ${language}`,
  content: `Content ${id} in ${language}`,
  created_at: long,
  updated_at: long,
  ...written(),
  ...given
})

export interface Seed {
  contents?: ContentDocument[]
  terms?: TermDocument[]
  rail_collections?: RailCollectionDocument[]
  legal_documents?: LegalDocument[]
  programmes?: ProgrammeDocument[]
  support_texts?: SupportTextDocument[]
}

/** A database that holds these documents. */
export const seededUrl = async (t: Test, seed: Seed) => {
  const url = await databaseUrl(t)
  const { client, db } = connectionTo(url)
  for (const [kind, documents] of Object.entries(seed)) {
    if (documents.length === 0) continue
    await db.collection(kind).insertMany(documents as Document[])
    await revisionsOf(db).raise(kind as CatalogueKind)
  }
  await client.close()
  return url
}

/** The app on a database that holds these documents. */
export const buildWith = async (t: Test, seed: Seed, options: Omit<BuildOptions, 'url'> = {}) =>
  build(t, { ...options, url: await seededUrl(t, seed) })

/** The database of the app, for changes past it. */
export const databaseOf = (app: App): Db =>
  app.mongoClient.db(new URL(app.settings.MONGO_URL.replace(/^mongodb/, 'http')).pathname.slice(1))

const literal = (fields: Document) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]))

/** Changes a document, stamped as a command does it, and tells every process. Without fields it is removed. */
export const change = async (app: App, kind: CatalogueKind, id: number | string, fields?: Document) => {
  const documents = databaseOf(app).collection<{ _id: number | string }>(kind)
  if (fields) await documents.updateOne({ _id: id }, [{ $set: { ...literal(fields), stamp: '$$NOW' } }], { upsert: true })
  else await documents.deleteOne({ _id: id })
  await app.data.revisions.raise(kind)
}

/** Asks again until it is so; answers with the milliseconds that it took. */
export const until = async (so: () => boolean | Promise<boolean>, { within = 20_000, every = 20 } = {}) => {
  const began = Date.now()
  while (!(await so())) {
    if (Date.now() - began > within) throw new Error(`Not so within ${within} ms: ${so}`)
    await sleep(every)
  }
  return Date.now() - began
}

export const idsOf = (response: { json: () => { data: { collection: { id: number }[] } } }) =>
  response.json().data.collection.map(({ id }) => id)

/** A query is refused, with the field named. */
export const isRefused = (t: Test, response: { statusCode: number; json: () => unknown }, field: string, what: string) => {
  t.equal(response.statusCode, 400, what)
  const body = response.json() as { message: string }
  t.match(body, { success: false, code: 400, message: new RegExp(`\\b${field}\\b`), errors: [{ field, message: /\w/ }] }, what)
}

export const notFound = { success: false, code: 404, message: 'Resource not found' }
