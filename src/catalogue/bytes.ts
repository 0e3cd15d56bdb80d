import type { PageMeta } from '../reply.js'

const comma = Buffer.from(',')
const closed = Buffer.from('}')

/** The fragments of contents as an array of whole contents. */
export const contentsArray = (fragments: Buffer[]): Buffer => {
  const parts: Buffer[] = [Buffer.from('[')]
  fragments.forEach((fragment, i) => {
    if (i > 0) parts.push(comma)
    parts.push(fragment, closed)
  })
  parts.push(Buffer.from(']'))
  return Buffer.concat(parts)
}

/** Elements that each show a content, which stands last in them. The fragments are in the order of the elements. */
export const withContents = (elements: object[], fragments: Buffer[]): Buffer => {
  const parts: Buffer[] = [Buffer.from('[')]
  fragments.forEach((fragment, i) => {
    const head = JSON.stringify(elements[i]).slice(0, -1)
    parts.push(Buffer.from(`${i > 0 ? ',' : ''}${head},"content":`), fragment, Buffer.from('}}'))
  })
  parts.push(Buffer.from(']'))
  return Buffer.concat(parts)
}

/** A page whose elements are bytes already. */
export const pageBytes = (collection: Buffer, meta: Partial<PageMeta>) =>
  Buffer.concat([Buffer.from('{"success":true,"data":{"collection":'), collection, Buffer.from(`,"meta":${JSON.stringify(meta)}}}`)])

export const okBytes = (data: Buffer) => Buffer.concat([Buffer.from('{"success":true,"data":'), data, closed])

export const contentBytes = (fragment: Buffer) => Buffer.concat([fragment, closed])

export const jsonBytes = (value: unknown) => Buffer.from(JSON.stringify(value))
