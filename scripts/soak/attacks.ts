import { randomInt, randomUUID } from 'node:crypto'
import type { Asked } from './viewers.js'

/** Roughly the maximum size of URL and headers that Node.js accepts. */
const largest = 15_000

const random = (length: number) => {
  let text = ''
  while (text.length < length) text += Math.random().toString(16).slice(2)
  return text.slice(0, length)
}
const letter = () => String.fromCharCode(97 + Math.floor(Math.random() * 26))
const many = (count: number, make: () => string, separator = ',') => Array.from({ length: count }, make).join(separator)
const someOf = (count: number) => 1 + Math.floor(Math.random() * count)
const filling = (make: () => string, separator = ',') => {
  let text = make()
  while (text.length < largest) text += separator + make()
  return text.slice(0, largest)
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz'
/** Words in every attacked item, as long as eight words in a search can be. */
export const longWords = Array.from({ length: 8 }, (_, n) => `${alphabet}${alphabet}`.slice(3 * n, 3 * n + 24))
const withTypo = (word: string) => {
  const place = 1 + randomInt(word.length - 1)
  return word.slice(0, place) + letter() + word.slice(place + 1)
}

/** Requests as expensive as a caller can make them. No two are the same. */
export const attacks: Record<string, () => Asked> = {
  'searches for 8 letters': () => ({ path: `/contents?search=${many(8, letter, '+')}&perPage=1&page=${random(4).replace(/\D/g, '1')}` }),
  'searches for 24 letters': () => ({ path: `/contents?search=${many(24, letter, '+')}` }),
  'searches for 8 words of 24 letters with two typos each': () => ({
    path: `/contents?search=${longWords.map(word => withTypo(withTypo(word))).join('+')}`
  }),
  'thousands of languages': () => ({
    path: '/support/context/faq/texts',
    headers: { 'accept-language': filling(() => letter() + letter()) }
  }),
  'thousands of types': () => ({ path: `/contents?type=${filling(() => random(2))}` }),
  '100 types': () => ({ path: `/contents?type=${many(100, () => random(6))}` }),
  '100 existing terms': () => ({ path: `/contents?perPage=100&terms=${many(100, () => `${someOf(200)}`)}` }),
  '100 existing parents and terms': () => ({
    path: `/contents?terms=${many(100, () => `${someOf(200)}`)}&parent_id=${many(100, () => `${1_000_001 + 25 * someOf(800)}`)}`
  }),
  '100 channels': () => ({ path: `/schedule?from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&channel=${many(100, () => random(6))}` }),
  'all programmes': () => ({
    path: `/schedule?from=2000-01-01T00:00:00.${random(6).replace(/\D/g, '1')}Z&to=2100-01-01T00:00:00Z&perPage=100`
  }),
  '100 names of terms': () => ({ path: `/terms?name=${many(100, () => random(100))}` }),
  'hosts of 15 KB': () => ({ path: '/rail-collections?with=rails&perPage=100', headers: { host: random(largest) } }),
  'thousands of tags': () => ({ path: '/terms/1', headers: { 'if-none-match': filling(() => random(1)) } }),
  'unknown parameters': () => ({ path: `/contents?perPage=100&x=${random(largest)}` }),
  'different pages of contents': () => ({
    path: `/contents?perPage=100&page=${someOf(200)}&x=${random(9)}`
  }),
  '100 recommendations': () => ({ path: '/recommendations?perPage=100' }),
  '100 recommendations for a viewer': () => ({ path: '/recommendations?perPage=100', user: 2 }),
  '100 shows to continue for a viewer': () => ({ path: '/continue-watching?perPage=100', user: 2 }),
  'logins of different users from different addresses': () => ({
    method: 'POST',
    path: '/login',
    headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` },
    body: { email: `${randomUUID()}@example.com`, password: 'a wrong password' }
  })
}
