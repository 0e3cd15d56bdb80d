import type { Content } from '../../schemas/content.js'
import type { Meta } from '../../schemas/page.js'
import type { ok } from '../http/reply.js'

declare const value: unique symbol

/** The bytes of a `T` as JSON. The type lets the compiler check ready bytes against the schema of a route. */
export type Json<T> = Buffer & { readonly [value]: T }

/** A content in wire form without its closing brace, so that more fields can be appended. */
export interface Fragment {
  bytes: Buffer
  /** The `video_id` of a watchlist element. */
  handler_id: string
  name: string
  stamp: number
}

type Part = string | Buffer

/** Texts and bytes that, joined, are a `T` as JSON. */
export type JsonParts<T> = Part[] & { readonly [value]: T }

/** Asserts that the parts are a `T` as JSON, which the compiler cannot check. */
export const jsonParts = <T>(parts: Part[]) => parts as JsonParts<T>

export const json = <T>(value: T) => jsonParts<T>([JSON.stringify(value)])

/** Adjacent texts are joined before they are written, because measuring and writing each takes a call. */
export const joined = <T>(parts: JsonParts<T>) => {
  const pieces: Part[] = []
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else {
      pieces.push(text, part)
      text = ''
    }
  }
  pieces.push(text)

  let length = 0
  for (const piece of pieces) length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const piece of pieces) at += typeof piece === 'string' ? bytes.write(piece, at) : piece.copy(bytes, at)
  return bytes as Json<T>
}

/** The body of a public response. Empty ones are not cached, because callers can ask for any number of them. */
export interface AnswerBody<T> {
  bytes: Json<T>
  isEmpty: boolean
  /** When it becomes outdated, even if no content opens or closes. */
  until?: number
}

export const jsonAnswer = <T>(value: T, isEmpty = false): AnswerBody<T> => ({ bytes: joined(json(value)), isEmpty })

/** Bytes with memory of their own. A small buffer is a slice of a pool and keeps the whole pool alive. */
export const ownBytes = <Bytes extends Buffer>(bytes: Bytes) => {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own as Bytes
}

export const contentJson = ({ bytes }: Fragment) => jsonParts<Content>([bytes, '}'])

/** An element with its content, between the fields `before` and `after`. There must be at least one before. */
export const withContent = <Before extends object, After extends object>(before: Before, fragment: Fragment, after = {} as After) => {
  const rest = JSON.stringify(after).slice(1)
  return jsonParts<Before & { content: Content } & After>([
    `${JSON.stringify(before).slice(0, -1)},"content":`,
    fragment.bytes,
    rest === '}' ? '}}' : `},${rest}`
  ])
}

/** A content with additional fields, at least one. */
export const withFields = <More extends object>({ bytes }: Fragment, more: More) =>
  jsonParts<Content & More>([bytes, `,${JSON.stringify(more).slice(1)}`])

export const list = <T>(elements: JsonParts<T>[]) => {
  const parts: Part[] = []
  for (const element of elements) parts.push(parts.length === 0 ? '[' : ',', ...element)
  parts.push(parts.length === 0 ? '[]' : ']')
  return jsonParts<T[]>(parts)
}

type Ok<T> = ReturnType<typeof ok<T>>
type Page<T, M> = Ok<{ collection: T[]; meta: M }>

export const okBytes = <T>(data: JsonParts<T>) => joined(jsonParts<Ok<T>>(['{"success":true,"data":', ...data, '}']))

/** A list that is not paged, and until when it holds. */
export const listAnswer = <T>(elements: JsonParts<T>[], until: number): AnswerBody<Ok<T[]>> => ({
  bytes: okBytes(list(elements)),
  isEmpty: elements.length === 0,
  until
})

export const pageBytes = <T, M extends Partial<Meta>>(elements: JsonParts<T>[], meta: M) =>
  joined(jsonParts<Page<T, M>>(['{"success":true,"data":{"collection":', ...list(elements), `,"meta":${JSON.stringify(meta)}}}`]))

export const pageAnswer = <T, M extends Partial<Meta>>(elements: JsonParts<T>[], meta: M): AnswerBody<Page<T, M>> => ({
  bytes: pageBytes(elements, meta),
  isEmpty: elements.length === 0
})
