import { Pending, type Piece, type Splitter } from '../reading/text.js'

const [quote, comma, open, backslash, close, openObject, closeObject] = Buffer.from('",[\\]{}') as unknown as number[]
const isBlank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || isMark(byte)
/** The bytes of a byte order mark. */
const isMark = (byte: number) => byte === 0xef || byte === 0xbb || byte === 0xbf

/** The elements of the one array of a `.json` file. Only their ends are looked for; whether they are JSON is for the parser to say. */
export const elements = (): Splitter => {
  const pending = new Pending()
  let state: 'before' | 'within' | 'after' | 'lost' = 'before'
  let place = 1
  let depth = 0
  let inText = false
  let escaped = false

  const lose = (pieces: Piece[], fault: string) => {
    pieces.push({ place, fault })
    state = 'lost'
  }

  /** Whether the byte ends an element. */
  const ends = (byte: number) => {
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

  const take = (pieces: Piece[], last: boolean) => {
    const piece = pending.take(place)
    if (piece) pieces.push(piece)
    else if (!last || place > 1) pieces.push({ place, fault: 'is missing before the comma or bracket' })
    place++
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let from = 0
      for (let at = 0; at < chunk.length && state !== 'lost'; at++) {
        const byte = chunk[at] as number
        if (state === 'within') {
          if (!ends(byte)) continue
          pending.add(chunk.subarray(from, at))
          from = at + 1
          take(pieces, byte === close)
          if (byte === close) state = 'after'
        } else if (!isBlank(byte)) {
          if (state === 'before' && byte === open) state = 'within'
          else lose(pieces, state === 'before' ? 'is not an array' : 'goes on after the end of the array')
          from = at + 1
        }
      }
      if (state === 'within') pending.add(chunk.subarray(from))
      return pieces
    },
    end() {
      if (state === 'before') return [{ place, fault: 'is not an array' }]
      if (state === 'within') return [{ place, fault: 'the array does not end' }]
      return []
    }
  }
}
