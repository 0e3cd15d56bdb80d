import type { Db } from 'mongodb'
import type { ProgrammeDocument } from '../../src/data/programmes.js'
import { revisionsOf } from '../../src/data/revisions.js'
import type { SupportTextDocument } from '../../src/data/support-texts.js'
import { minutes } from '../../src/time.js'
import { contentOf } from '../bench/data/catalogue.js'
import { ago, choicesFrom, generate, insert } from '../bench/data/generate.js'

const imported = { digest: '' }
const firstId = 1_000_000
const languages = ['en', 'de', 'nl']
const beginnings = 'etaoinsrhldcumfpgwybvk'

/** 30 random words per item, so that nearly every item has words that begin with each letter. */
const words = (seed: number) => {
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
  content_id: firstId + (n % 1000),
  stamp: new Date(),
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
    stamp: new Date(),
    ...imported
  }
}

/** A catalogue that makes requests as expensive as possible: 20,000 items of 30 words, 100,000 programmes, 400 texts in 3 languages. */
export const fillAttacked = async (db: Db, share: number) => {
  for (const [collection, own] of Object.entries({ contents: { _id: { $gt: firstId } }, programmes: {}, support_texts: {} }))
    await db.collection<{ _id: number }>(collection).deleteMany(own)
  const own = words(7)
  const size = Math.round(20_000 * share)
  await insert(
    db,
    'contents',
    generate(size, n => ({ ...contentOf(firstId + n, 2 * firstId, ['a text']), words: own(), stamp: new Date() }))
  )
  await insert(db, 'programmes', generate(Math.round(100_000 * share), programme))
  await insert(db, 'support_texts', generate(400 * languages.length, supportText))
  for (const kind of ['contents', 'programmes', 'support_texts'] as const) await revisionsOf(db).raise(kind)
}
