import { type Piece, RecordBuffer, type Splitter } from './text.js'

const lineFeed = 0x0a

/** Splits an `.ndjson` file into lines. Skips empty lines but counts them. */
export const lines = (): Splitter => {
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
