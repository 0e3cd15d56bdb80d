import type { Document } from 'mongodb'
import { optional, text } from './bson-schema.js'

// What the last write of a document means for other systems (src/webhooks), in words that the write itself stores. A change stream always
// shows this field, while it may leave out all other fields, or show the whole document with the words of an earlier write. So each update
// by a pipeline stores or removes them.

export interface Eventful {
  event?: string
}
export const eventRule = { event: optional(text) }

/** The event of documents that an import adds, about which other systems are not told. */
export const imported = 'imported'

type Word = string | number | Document

/** An expression gives a whole number or a date. */
const wordOf = (word: Word) => (typeof word === 'object' || String(word).startsWith('$') ? { $toString: { $toLong: word } } : String(word))

/** The words of an event, for a pipeline. */
export const eventOf = (...words: Word[]): Document => ({
  $concat: words.flatMap((word, i) => (i > 0 ? [' ', wordOf(word)] : [wordOf(word)]))
})

/** Adds a line to what earlier stages of the same update have stored. */
export const alsoEvent = (event: Document): Document => ({ $concat: [{ $ifNull: [{ $concat: ['$event', '\n'] }, ''] }, event] })
