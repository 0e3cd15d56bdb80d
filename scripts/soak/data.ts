import { type Db, ObjectId } from 'mongodb'
import type { ProgrammeDocument } from '../../src/catalogue/programmes.js'
import type { SupportTextDocument } from '../../src/catalogue/support-texts.js'
import { ensureCollections } from '../../src/database/collections.js'
import { revisionsOf } from '../../src/database/revisions.js'
import { minutes } from '../../src/time.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { contentOf, fillCatalogue } from '../bench/data/catalogue.js'
import { ago, choicesFrom, generate, insert } from '../bench/data/generate.js'
import { longWords } from './attacks.js'

const historyOfEach = 50

const watched = (user_id: number, n: number, contents: number): HistoryDocument => {
  const at = ago(minutes(30 * n))
  const content_id = 1 + ((user_id * 31 + n) % contents)
  return { _id: new ObjectId(), user_id, content_id, time: 60 * n, percentage: 2 * n, created_at: at, updated_at: at }
}

/** Creates a catalogue, and viewers who have watched some of it. */
export const fill = async (db: Db, { contents, viewers }: { contents: number; viewers: number }) => {
  await fillCatalogue(db, contents)
  for (let user = 1; user <= viewers; user++) {
    const history = generate(historyOfEach, n => watched(user, n, contents))
    await insert(db, 'history', history)
  }
  await ensureCollections(db)
}

const imported = { digest: '', stamp: ago(0) }
const firstAttacked = 1_000_000
const languages = ['en', 'de', 'nl']
const beginnings = 'etaoinsrhldcumfpgwybvk'

/** 30 random words per item, so that nearly every item has words that begin with each letter. */
const wordsFrom = (seed: number) => {
  const random = choicesFrom(seed)
  const letters = [...beginnings]
  const word = () => Array.from({ length: 3 + random.below(5) }, () => random.of(letters)).join('')
  const known = Array.from({ length: 20_000 }, word)
  return () => [...new Set(Array.from({ length: 30 }, () => random.of(known)))]
}

const programme = (n: number): ProgrammeDocument => ({
  _id: n,
  channel: `channel-${n % 50}`,
  starts_at: ago(minutes(n - 500)),
  ends_at: ago(minutes(n - 560)),
  content_id: firstAttacked + (n % 1000),
  ...imported
})

const supportText = (n: number): SupportTextDocument => {
  const id = Math.ceil(n / languages.length)
  const language = languages[n % languages.length] as string
  return {
    _id: `${id}/${language}`,
    id,
    language,
    context: 'faq',
    title: `Question ${id}`,
    content: `An answer in ${language}. `.repeat(10),
    created_at: ago(0),
    updated_at: ago(0),
    ...imported
  }
}

/** A catalogue that makes requests as expensive as possible: 20,000 items of 30 words, 100,000 programmes, 400 texts in 3 languages. */
export const fillAttacked = async (db: Db, share: number) => {
  for (const [collection, own] of Object.entries({ contents: { _id: { $gt: firstAttacked } }, programmes: {}, support_texts: {} }))
    await db.collection<{ _id: number }>(collection).deleteMany(own)
  const words = wordsFrom(7)
  const content = (n: number) => ({
    ...contentOf(firstAttacked + n, 2 * firstAttacked, ['a text']),
    words: { names: [], keywords: longWords, description: words() },
    stamp: new Date()
  })
  await insert(db, 'contents', generate(Math.round(20_000 * share), content))
  await insert(db, 'programmes', generate(Math.round(100_000 * share), programme))
  await insert(db, 'support_texts', generate(400 * languages.length, supportText))
  for (const kind of ['contents', 'programmes', 'support_texts'] as const) await revisionsOf(db).raise(kind)
}
