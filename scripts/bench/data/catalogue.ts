import type { Db } from 'mongodb'
import type { ContentDocument } from '../../../src/catalogue/content-documents.js'
import type { Imported } from '../../../src/catalogue/kinds.js'
import type { LegalDocument } from '../../../src/catalogue/legal-documents.js'
import type { PersonDocument } from '../../../src/catalogue/person-documents.js'
import type { ProgrammeDocument } from '../../../src/catalogue/programmes.js'
import type { RailCollectionDocument } from '../../../src/catalogue/rail-collections.js'
import { wordsOf } from '../../../src/catalogue/search/index.js'
import type { TermDocument } from '../../../src/catalogue/term-documents.js'
import { days, minutes } from '../../../src/time.js'
import { ago, type Choices, choicesFrom, generate, insert } from './generate.js'

const imported: Imported = { digest: '', stamp: ago(0) }

const syllables = ['ka', 'lo', 'mi', 'ren', 'su', 'ta', 'vel', 'no', 'ri', 'dan', 'po', 'esh', 'ul', 'gar', 'bi', 'fen']
const word = (random: Choices) => random.of(syllables) + random.of(syllables) + random.of(syllables)
const text = (random: Choices, words: number) => Array.from({ length: words }, () => word(random)).join(' ')

/** A show with its episodes, or the same number of films. */
const family = 25
export const terms = 200

/** The `min_age` values of contents, in turn. */
const ages = [6, 12, 16]

/**
 * A content item of 2 KB on the wire. Ids beyond the size of the catalogue are those of deleted items that long histories still contain.
 */
export const contentOf = (id: number, size: number, texts: string[]): ContentDocument => {
  const isFilm = Math.floor((id - 1) / family) % 2 === 1
  const isShow = id % family === 1 && !isFilm
  const isTitle = isFilm || isShow
  const show = id - ((id - 1) % family)
  const own = (n: number) => texts[(id * 7 + n) % texts.length] as string
  const title = own(0).slice(0, 40)
  const content = {
    _id: id,
    parent_id: isTitle ? null : show,
    type: isFilm ? 'film' : isShow ? 'show' : 'episode',
    handler: 'videoplatform',
    handler_type: 'video',
    handler_id: `video-${id}-0f3a9c4e`,
    name: `${title} ${id}`,
    title: { en: title, de: title },
    description: { en: own(1).slice(0, 430), de: own(2).slice(0, 430) },
    weight: id % 10 ? id % 1000 : null,
    thumbnail: `https://images.example.com/thumbnails/${id}/1280x720.jpg`,
    thumbnail_handler: 'images',
    keywords: `zz${id % 100} ${own(3).slice(0, 60)}`,
    pricing: null,
    payments_asset_id: `asset-${id}`,
    purchaseable: 0,
    start_date: ago(days(id % 900)),
    end_date: null,
    countries_include: null,
    countries_exclude: id % 20 ? null : ['AQ'],
    created_at: ago(days(id % 900)),
    updated_at: ago(days(id % 30)),
    currency: 'EUR',
    price: null,
    price_formatted: null,
    plans: { basic: { id: '1', vendor_name: 'basic-monthly' }, premium: { id: '2', vendor_name: 'premium-monthly' } },
    link: `https://www.example.com/watch/${id}`,
    min_age: ages[id % ages.length] as number,
    deleted_at: id > size ? ago(0) : null,
    terms: [1 + (id % terms), 1 + ((id * 13) % terms)],
    position: isTitle ? null : id - show,
    credits: credits(id, peopleFor(size)),
    ...imported
  }
  return { ...content, words: wordsOf(content) }
}

/** Credits per title. */
const creditsEach = 20
const peopleFor = (contents: number) => 2 * contents

const credits = (id: number, people: number) => [
  ...generate(creditsEach, n => ({ person_id: 1 + ((id * 7919 + n * n * 104_729) % people), role: 'actor', character: null }) as const)
]

export const nameOf = (person: number) => {
  const random = choicesFrom(person)
  return `${word(random)} ${word(random)}`
}

const person = (id: number): PersonDocument => ({
  _id: id,
  name: nameOf(id),
  image: `https://images.example.com/people/${id}/320x320.jpg`,
  created_at: ago(days(1)),
  updated_at: ago(days(1)),
  ...imported
})

const term = (id: number): TermDocument => ({
  _id: id,
  vendor_id: `term-${id}`,
  name: `Term ${id}`,
  taxonomy: id % 2 ? 'category' : 'discipline',
  created_at: ago(days(id)),
  updated_at: ago(days(id)),
  ...imported
})

/** Each collection has five rails. */
const collectionsFor = (contents: number) => Math.max(5, Math.round(contents / 1000))

const rail = (id: number) => ({
  id,
  name: `Rail ${id}`,
  mname: `rail-${id}`,
  query: { terms: String(1 + (id % terms)), order_by: 'start_date', order_direction: 'DESC' },
  framework_through_key: id,
  created_at: ago(days(id)),
  updated_at: ago(days(id))
})

const railCollection = (n: number): RailCollectionDocument => {
  const { id, ...collection } = rail(n)
  return { _id: id, ...collection, rails: [...generate(5, place => rail(n * 10 + place))], ...imported }
}

const legalDocument = (language: string, texts: string[]): LegalDocument => ({
  _id: language,
  title: 'Terms of use',
  sections: texts.slice(0, 8).map((content, n) => ({ title: `Section ${n + 1}`, content })),
  ...imported
})

/** Ten channels show one item per hour, from yesterday until the day after tomorrow. */
const channels = 10
const hoursOfSchedule = 72
const hour = minutes(60)
const programme = (id: number): ProgrammeDocument => {
  const begins = hour * Math.floor((id - 1) / channels) - days(1)
  return {
    _id: id,
    channel: `channel ${id % channels}`,
    starts_at: ago(-begins),
    ends_at: ago(-begins - hour),
    content_id: 1 + (id % 100),
    ...imported
  }
}

/** Texts of 80 words for the contents to choose from. */
const randomTexts = () => {
  const random = choicesFrom(1)
  return Array.from({ length: 101 }, () => text(random, 80))
}

/** Creates a catalogue, plus as many deleted items as the longest history needs. */
export const fillCatalogue = async (db: Db, size: number, longestHistory = 0) => {
  const texts = randomTexts()
  await insert(
    db,
    'contents',
    generate(Math.max(size, longestHistory), id => contentOf(id, size, texts))
  )
  await insert(db, 'terms', generate(terms, term))
  await insert(db, 'people', generate(peopleFor(size), person))
  await insert(db, 'rail_collections', generate(collectionsFor(size), railCollection))
  await insert(db, 'programmes', generate(channels * hoursOfSchedule, programme))
  await insert(
    db,
    'legal_documents',
    ['en', 'de', 'nl', 'sv'].map(language => legalDocument(language, texts))
  )
}
