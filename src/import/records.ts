import { elements } from './reading/elements.js'
import { lines } from './reading/lines.js'
import type { Source } from './reading/sources.js'
import type { Piece } from './reading/text.js'

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
export const batchSize = 1000
/** Large records make smaller batches. */
const batchCharacters = 4 * 1024 * 1024

const lengthOf = (piece: Piece) => ('text' in piece ? piece.text.length : 0)

/** Keeps memory flat, however long the file is. */
export async function* batchesOf(source: Source): AsyncGenerator<Batch> {
  const splitter = source.format === 'json' ? elements() : lines()
  let batch: Batch = { pieces: [], bytes: 0 }
  let characters = 0

  function* full(pieces: Piece[]) {
    for (const piece of pieces) {
      batch.pieces.push(piece)
      characters += lengthOf(piece)
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

/** Drops the part of V8's message that quotes the text, because it may contain secrets. */
export const parsed = (piece: Piece): { text: string; value: unknown } | { fault: string } => {
  if ('fault' in piece) return piece
  try {
    return { text: piece.text, value: JSON.parse(piece.text) }
  } catch (error) {
    const fault = (error as Error).message.replace(/(^|,? )(\.\.\.)?".*is not valid JSON$/s, '').replace(/ \(line.*\)$/, '')
    return { fault: fault || 'is not JSON' }
  }
}
