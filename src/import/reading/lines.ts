import { Pending, type Piece, type Splitter } from './text.js'

const lineFeed = 0x0a

/** The lines of an `.ndjson` file. Empty ones are counted and left out. */
export const lines = (): Splitter => {
  const pending = new Pending()
  let place = 0

  const take = (pieces: Piece[]) => {
    const piece = pending.take(++place)
    if (piece) pieces.push(piece)
    return pieces
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let from = 0
      for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
        pending.add(chunk.subarray(from, to))
        take(pieces)
        from = to + 1
      }
      if (from < chunk.length) pending.add(chunk.subarray(from))
      return pieces
    },
    end: () => take([])
  }
}
