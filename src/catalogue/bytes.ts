import type { PageMeta } from '../reply.js'
import type { Fragment } from './fragments.js'

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

export const jsonBytes = (value: unknown) => Buffer.from(JSON.stringify(value))

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
