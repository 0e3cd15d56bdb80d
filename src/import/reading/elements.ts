import { type Piece, RecordBuffer, type Splitter } from './text.js'

const [quote, comma, open, backslash, close, openObject, closeObject] = Buffer.from('",[\\]{}') as unknown as number[]
const isBlank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || isMark(byte)
/** The bytes of a byte order mark. */
const isMark = (byte: number) => byte === 0xef || byte === 0xbb || byte === 0xbf

/** Returns a function that takes the bytes of an array one by one and says whether one ends an element. */
const endFinder = () => {
  let depth = 0
  let inText = false
  let escaped = false
  return (byte: number) => {
    if (inText) {
      if (escaped) escaped = false
      else if (byte === backslash) escaped = true
      else if (byte === quote) inText = false
      return false
    }
    if (byte === quote) inText = true
    else if (byte === openObject || byte === open) depth++
    else if (depth === 0) return byte === comma || byte === close
    else if (byte === closeObject || byte === close) depth--
    return false
  }
}

/** Splits the array of a `.json` file into its elements. Only looks for their ends and leaves the rest to the JSON parser. */
export const elements = (): Splitter => {
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

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let from = 0
      for (let at = 0; at < chunk.length && state !== 'lost'; at++) {
        const byte = chunk[at] as number
        if (state === 'within') {
          if (!isEnd(byte)) continue
          buffer.add(chunk.subarray(from, at))
          from = at + 1
          take(pieces, byte === close)
          if (byte === close) state = 'after'
        } else if (!isBlank(byte)) {
          if (state === 'before' && byte === open) state = 'within'
          else lose(pieces, state === 'before' ? 'is not an array' : 'has more text after the end of the array')
          from = at + 1
        }
      }
      if (state === 'within') buffer.add(chunk.subarray(from))
      return pieces
    },
    end() {
      if (state === 'before') return [{ place, fault: 'is not an array' }]
      if (state === 'within') return [{ place, fault: 'the array is not closed' }]
      return []
    }
  }
}
