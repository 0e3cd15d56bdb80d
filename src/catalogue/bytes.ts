import { createHash } from 'node:crypto'
import type { Meta } from '../../schemas/page.js'
import type { ok } from '../http/reply.js'

// Responses are joined from parts: strings, and the bytes of cached contents, which are only copied when the response is complete. `Json`
// is what routes pass to `reply.json`: one buffer or, for a large response, its parts, which are joined when it is sent.

declare const value: unique symbol

/**
 * A `T` as JSON: one buffer or, if it is large, parts that `reply.json` joins. The type lets the compiler check it against the schema of a
 * route.
 */
export type Json<T> = (Buffer | UnjoinedJson) & { readonly [value]: T }

type Part = string | Buffer

/** Strings and bytes that, joined, are a `T` as JSON. */
export type JsonParts<T> = Part[] & { readonly [value]: T }

/** Asserts that the parts are a `T` as JSON, which the compiler cannot check. */
export const jsonParts = <T>(parts: Part[]) => parts as JsonParts<T>

export const partsOf = <T>(value: T) => jsonParts<T>([JSON.stringify(value)])

/** A response before its parts are copied into one buffer. It shares the bytes of cached contents. */
export class UnjoinedJson {
  length = 0
  private readonly pieces: Part[] = []

  /** Adjacent strings are joined first, because measuring and writing each takes a call. */
  constructor(parts: Part[]) {
    let text = ''
    for (const part of parts) {
      if (typeof part === 'string') text += part
      else {
        this.pieces.push(text, part)
        text = ''
      }
    }
    this.pieces.push(text)
    for (const piece of this.pieces) this.length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
  }

  joined(buffer: Buffer = Buffer.allocUnsafe(this.length)) {
    let at = 0
    for (const piece of this.pieces) at += typeof piece === 'string' ? buffer.write(piece, at) : piece.copy(buffer, at)
    return at === buffer.length ? buffer : buffer.subarray(0, at)
  }

  hash() {
    const hash = createHash('sha1')
    for (const piece of this.pieces) hash.update(piece)
    return hash.digest('base64')
  }
}

/** Responses of up to this many bytes are joined immediately. Larger ones stay in parts until `reply.json` (docs/decisions/043). */
const joinedUpTo = 64 * 1024

const joinedIfSmall = <T>(parts: JsonParts<T>) => {
  const unjoined = new UnjoinedJson(parts)
  return (unjoined.length > joinedUpTo ? unjoined : unjoined.joined()) as Json<T>
}

/** The body of a public response. Empty ones are not cached, because callers can request any number of them. */
export interface AnswerBody<T> {
  bytes: Json<T>
  isEmpty: boolean
  /** When it becomes outdated, even if the availability of contents does not change. */
  until?: number
}

export const jsonAnswer = <T>(value: T, isEmpty = false): AnswerBody<T> => ({
  bytes: new UnjoinedJson(partsOf(value)).joined() as Json<T>,
  isEmpty
})

/** Bytes with memory of their own. A small buffer is a slice of a pool and keeps the whole pool alive. */
export const ownBytes = <Bytes extends Buffer | UnjoinedJson>(bytes: Bytes) => {
  if (bytes instanceof UnjoinedJson || bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own as Bytes
}

export const list = <T>(elements: JsonParts<T>[]) => {
  const parts: Part[] = []
  for (const element of elements) parts.push(parts.length === 0 ? '[' : ',', ...element)
  parts.push(parts.length === 0 ? '[]' : ']')
  return jsonParts<T[]>(parts)
}

type Ok<T> = ReturnType<typeof ok<T>>
type Page<T, M> = Ok<{ collection: T[]; meta: M }>

export const okBytes = <T>(data: JsonParts<T>) => joinedIfSmall(jsonParts<Ok<T>>(['{"success":true,"data":', ...data, '}']))

/** A list that is not paged, and until when it is valid. */
export const listAnswer = <T>(elements: JsonParts<T>[], until: number): AnswerBody<Ok<T[]>> => ({
  bytes: okBytes(list(elements)),
  isEmpty: elements.length === 0,
  until
})

export const pageBytes = <T, M extends Partial<Meta>>(elements: JsonParts<T>[], meta: M) =>
  joinedIfSmall(jsonParts<Page<T, M>>(['{"success":true,"data":{"collection":', ...list(elements), `,"meta":${JSON.stringify(meta)}}}`]))

export const pageAnswer = <T, M extends Partial<Meta>>(elements: JsonParts<T>[], meta: M): AnswerBody<Page<T, M>> => ({
  bytes: pageBytes(elements, meta),
  isEmpty: elements.length === 0
})
