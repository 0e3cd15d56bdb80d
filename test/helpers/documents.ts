import { randomUUID } from 'node:crypto'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import type { LegalDocument } from '../../src/catalogue/legal-documents.js'
import type { PersonDocument } from '../../src/catalogue/person-documents.js'
import type { ProgrammeDocument } from '../../src/catalogue/programmes.js'
import type { RailCollectionDocument, RailDocument } from '../../src/catalogue/rail-collections.js'
import { wordsOf } from '../../src/catalogue/search/index.js'
import type { SupportTextDocument } from '../../src/catalogue/support-texts.js'
import type { TermDocument } from '../../src/catalogue/term-documents.js'
import type { HistoryDocument } from '../../src/viewing/history.js'

const long = new Date('2020-01-02T03:04:05.678Z')
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
    words: { names: [], keywords: [], description: [] },
    ...written(),
    ...given
  }
  return { ...document, words: wordsOf(document) }
}

export const film = (id: number, given: Partial<ContentDocument> = {}) => content(id, { type: 'film', ...given })
export const episode = (id: number, parent_id: number, given: Partial<ContentDocument> = {}) =>
  content(id, { type: 'episode', parent_id, ...given })

/** A content in which every field of the specification holds a value. */
export const rich = (id: number, given: Partial<ContentDocument> = {}) =>
  content(id, {
    title: { en: 'The "Long" Ridge', de: 'Der lange Grät \u2028 \u{1F3D4}' },
    description: { en: 'Up\nand down' },
    weight: -3,
    keywords: 'ridge, hike',
    pricing: { tier: 'gold' },
    payments_asset_id: 'asset-9',
    purchaseable: 1,
    end_date: new Date('2099-01-01T00:00:00.000Z'),
    countries_include: ['SE', 'DE'],
    countries_exclude: ['US'],
    currency: 'EUR',
    price: 4.99,
    price_formatted: '4,99 €',
    plans: { '12': { id: '12', vendor_name: 'monthly' } },
    duration: 3120.5,
    min_age: 12,
    season: 0,
    episode: 7,
    external_ids: { imdb: 'tt0000009' },
    markers: [
      { type: 'intro', start: 12, end: 55.5 },
      { type: 'credits', start: 3000, end: null }
    ],
    ...given
  })

export const person = (id: number, name: string, given: Partial<PersonDocument> = {}): PersonDocument => ({
  _id: id,
  name,
  image: null,
  created_at: long,
  updated_at: long,
  ...written(),
  ...given
})

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

export const rail = (id: number, query: RailDocument['query'], given: Partial<RailDocument> = {}): RailDocument => ({
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
  query: RailDocument['query'],
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

export const historyDocument = (
  given: Omit<HistoryDocument, 'time' | 'percentage' | 'created_at'> & Partial<HistoryDocument>
): HistoryDocument => ({
  time: 60,
  percentage: 10,
  created_at: given.updated_at,
  ...given
})
