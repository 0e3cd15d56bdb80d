import { isUtf8 } from 'node:buffer'
import type { Source } from './sources.js'

/** A part of a file that should be one record: its text, or its fault. */
export type Piece = { place: number; text: string } | { place: number; fault: string }

/** Some of the records of a file, and how many of its bytes were read for them. */
export interface Batch {
  pieces: Piece[]
  bytes: number
}

export interface BatchOptions {
  onBatch: (bytes: number, records: number) => void
  /** Stops before the next batch. */
  signal: AbortSignal | undefined
}

/** The number of records that are read, checked and written together. */
const batchSize = 1000
/** Large records make smaller batches. */
const batchCharacters = 4 * 1024 * 1024
/** The limit of MongoDB is 16 MB for a document, which includes the search words. */
const maxRecordBytes = 2 * 1024 * 1024

/** Keeps memory flat, however long the file is. */
export async function* batchesOf(source: Source): AsyncGenerator<Batch> {
  const splitter = source.format === 'json' ? elements() : lines()
  let batch: Batch = { pieces: [], bytes: 0 }
  let characters = 0

  function* full(pieces: Piece[]) {
    for (const piece of pieces) {
      batch.pieces.push(piece)
      characters += 'text' in piece ? piece.text.length : 0
      if (batch.pieces.length < batchSize && characters < batchCharacters) continue
      yield batch
      batch = { pieces: [], bytes: 0 }
      characters = 0
    }
  }

  for await (const chunk of source.open()) {
    batch.bytes += chunk.length
    yield* full(splitter.push(chunk))
  }
  yield* full(splitter.end())
  yield batch
}

/** Parses JSON. Drops the part of V8's message that quotes the text, because it may contain secrets. */
export const parsed = (piece: Piece): { text: string; value: unknown } | { fault: string } => {
  if ('fault' in piece) return piece
  try {
    return { text: piece.text, value: JSON.parse(piece.text) }
  } catch (error) {
    const fault = (error as Error).message.replace(/(^|,? )(\.\.\.)?".*is not valid JSON$/s, '').replace(/ \(line.*\)$/, '')
    return { fault: fault || 'is not JSON' }
  }
}

export function* inBatches<T>(items: Iterable<T>): Generator<T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Splits a file chunk by chunk. */
interface Splitter {
  push(chunk: Buffer): Piece[]
  end(): Piece[]
}

/** Collects the bytes of one record from the chunks of its file. */
class RecordBuffer {
  private parts: Buffer[] = []
  private size = 0

  add(bytes: Buffer) {
    this.size += bytes.length
    // Drops the bytes of records that are too long, so that memory is bounded whatever the file contains.
    if (this.size <= maxRecordBytes) this.parts.push(bytes)
    else this.parts = []
  }

  /** Returns undefined if there is only white space. */
  take(place: number): Piece | undefined {
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts)
    const { size } = this
    this.parts = []
    this.size = 0
    if (size > maxRecordBytes) return { place, fault: 'is longer than 2 MiB' }
    if (!isUtf8(bytes)) return { place, fault: 'is not valid UTF-8' }
    const text = bytes.toString('utf8')
    const clean = place === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
    return clean.trim() === '' ? undefined : { place, text: clean }
  }
}

const byteOrderMark = '\ufeff'

const lineFeed = 0x0a

/** Splits an `.ndjson` file into lines. Skips empty lines but counts them. */
const lines = (): Splitter => {
  const buffer = new RecordBuffer()
  let place = 0

  const take = (pieces: Piece[]) => {
    const piece = buffer.take(++place)
    if (piece) pieces.push(piece)
    return pieces
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let from = 0
      for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
        buffer.add(chunk.subarray(from, to))
        take(pieces)
        from = to + 1
      }
      if (from < chunk.length) buffer.add(chunk.subarray(from))
      return pieces
    },
    end: () => take([])
  }
}

const [quote, comma, open, backslash, close, openObject, closeObject] = Buffer.from('",[\\]{}') as unknown as number[]
const isBlank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || isMark(byte)
/** Whether it is a byte of a byte order mark. */
const isMark = (byte: number) => byte === 0xef || byte === 0xbb || byte === 0xbf
const opens = (byte: number) => byte === openObject || byte === open
const closes = (byte: number) => byte === closeObject || byte === close

/** Returns a function that takes the bytes of an array one by one, and tells whether a byte ends an element. */
const endFinder = () => {
  let depth = 0
  let inText = false
  let escaped = false
  return (byte: number) => {
    if (inText) {
      inText = escaped || byte !== quote
      escaped = !escaped && byte === backslash
      return false
    }
    if (depth === 0 && (byte === comma || byte === close)) return true
    inText = byte === quote
    if (opens(byte)) depth++
    else if (depth > 0 && closes(byte)) depth--
    return false
  }
}

/** Splits the array of a `.json` file into its elements. Only finds their ends, and leaves the rest to the JSON parser. */
const elements = (): Splitter => {
  const buffer = new RecordBuffer()
  const isEnd = endFinder()
  let state: 'before' | 'within' | 'after' | 'lost' = 'before'
  let place = 1

  const lose = (pieces: Piece[], fault: string) => {
    pieces.push({ place, fault })
    state = 'lost'
  }

  const take = (pieces: Piece[], last: boolean) => {
    const piece = buffer.take(place)
    if (piece) pieces.push(piece)
    else if (!last || place > 1) pieces.push({ place, fault: 'an element is missing before the comma or bracket' })
    place++
  }

  /** Returns where the elements begin in the chunk. */
  const begin = (chunk: Buffer, pieces: Piece[]) => {
    const at = chunk.findIndex(byte => !isBlank(byte))
    if (chunk[at] === open) state = 'within'
    else if (at !== -1) lose(pieces, 'is not an array')
    return at + 1
  }

  /** Returns where the array ends in the chunk. */
  const split = (chunk: Buffer, start: number, pieces: Piece[]) => {
    let from = start
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (!isEnd(byte)) continue
      const isLast = byte === close
      buffer.add(chunk.subarray(from, at))
      take(pieces, isLast)
      from = at + 1
      if (isLast) {
        state = 'after'
        return from
      }
    }
    buffer.add(chunk.subarray(from))
    return chunk.length
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let at = 0
      if (state === 'before') at = begin(chunk, pieces)
      if (state === 'within') at = split(chunk, at, pieces)
      if (state === 'after' && !chunk.subarray(at).every(isBlank)) lose(pieces, 'has more text after the end of the array')
      return pieces
    },
    end() {
      if (state === 'before') return [{ place, fault: 'is not an array' }]
      if (state === 'within') return [{ place, fault: 'the array is not closed' }]
      return []
    }
  }
}
