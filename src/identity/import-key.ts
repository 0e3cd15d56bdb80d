import { createHash, timingSafeEqual } from 'node:crypto'

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

/** Returns a function that says whether an `Authorization` header names the key. How long that takes says nothing about the key. */
export const importKey = (key: string) => {
  const expected = digestOf(Buffer.from(key))
  return (authorization = '') => {
    const [, given = ''] = /^Bearer (.*)$/i.exec(authorization) ?? []
    // Node decodes the bytes of headers as Latin-1.
    return timingSafeEqual(digestOf(Buffer.from(given, 'latin1')), expected)
  }
}
