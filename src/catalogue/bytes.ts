import type { PageMeta } from '../http/reply.js'

/** The wire form of a content without its closing brace, so that fields of the request can be joined to it. */
export interface Fragment {
  bytes: Buffer
  /** The media on its platform: the `video_id` of a watchlist element. */
  handler_id: string
  name: string
  stamp: number
}

export type Part = string | Buffer

/** Text and ready bytes, copied into one buffer. Text that follows text is put together first: each piece is measured and written by a call. */
const joined = (parts: Part[]): Buffer => {
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
  return bytes
}

/** A public answer that was made. Empty ones are not worth keeping: there are as many as callers can think of. */
export interface Made {
  bytes: Buffer
  isEmpty: boolean
}

export const jsonAnswer = (value: unknown, isEmpty = false): Made => ({ bytes: Buffer.from(JSON.stringify(value)), isEmpty })

/** Bytes that share no memory: small buffers are parts of larger ones, all of which stay with each of them. */
export const ownBytes = (bytes: Buffer) => {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/** A fragment lacks its closing brace, so that what is made for the request can be joined to it. */
export const whole = ({ bytes }: Fragment): Part[] => [bytes, '}']

/** A content as a field between the other fields of an element; both sides have some. */
export const around = (before: object, fragment: Fragment, after: object = {}): Part[] => {
  const rest = JSON.stringify(after).slice(1)
  return [`${JSON.stringify(before).slice(0, -1)},"content":`, fragment.bytes, rest === '}' ? '}}' : `},${rest}`]
}

/** A content with more fields than its own. */
export const extended = ({ bytes }: Fragment, more: object): Part[] => [bytes, `,${JSON.stringify(more).slice(1)}`]

/** Ready elements as an array. */
export const list = (elements: Part[][]): Part[] => {
  const parts: Part[] = []
  for (const element of elements) parts.push(parts.length === 0 ? '[' : ',', ...element)
  parts.push(parts.length === 0 ? '[]' : ']')
  return parts
}

export const okBytes = (data: Part[]) => joined(['{"success":true,"data":', ...data, '}'])

/** A page whose elements are ready, or made of ready parts. */
export const pageBytes = (elements: Part[][], meta: Partial<PageMeta>) =>
  joined(['{"success":true,"data":{"collection":', ...list(elements), `,"meta":${JSON.stringify(meta)}}}`])

export const pageAnswer = (elements: Part[][], meta: Partial<PageMeta>): Made => ({
  bytes: pageBytes(elements, meta),
  isEmpty: elements.length === 0
})
