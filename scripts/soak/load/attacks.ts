import { type Call, requestBytes } from '../../bench/load/call.js'
import { callerAt } from '../../bench/load/caller.js'

/** About what Node lets a caller send in its address and its headers. */
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

/** Requests that cost as much as a caller can choose, each another one. */
export const attacks: Record<string, () => Call> = {
  'searches for 8 letters': () => ({ path: `/contents?search=${many(8, letter, '+')}&perPage=1&page=${random(4).replace(/\D/g, '1')}` }),
  'searches for 24 letters': () => ({ path: `/contents?search=${many(24, letter, '+')}` }),
  'languages by the thousand': () => ({
    path: '/support/context/faq/texts',
    headers: { 'accept-language': filling(() => letter() + letter()) }
  }),
  'types by the thousand': () => ({ path: `/contents?type=${filling(() => random(2))}` }),
  '100 types': () => ({ path: `/contents?type=${many(100, () => random(6))}` }),
  '100 terms that there are': () => ({ path: `/contents?perPage=100&terms=${many(100, () => `${someOf(200)}`)}` }),
  '100 parents and terms that there are': () => ({
    path: `/contents?terms=${many(100, () => `${someOf(200)}`)}&parent_id=${many(100, () => `${1_000_001 + 25 * someOf(800)}`)}`
  }),
  '100 channels': () => ({ path: `/schedule?from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&channel=${many(100, () => random(6))}` }),
  'all programmes': () => ({
    path: `/schedule?from=2000-01-01T00:00:00.${random(6).replace(/\D/g, '1')}Z&to=2100-01-01T00:00:00Z&perPage=100`
  }),
  '100 names of terms': () => ({ path: `/terms?name=${many(100, () => random(100))}` }),
  'hosts of 15 KB': () => ({ path: '/rail-collections?with=rails&perPage=100', headers: { host: random(largest) } }),
  'tags by the thousand': () => ({ path: '/terms/1', headers: { 'if-none-match': filling(() => random(1)) } }),
  'parameters that do not exist': () => ({ path: `/contents?perPage=100&x=${random(largest)}` }),
  'a page of contents, each another one': () => ({
    path: `/contents?perPage=100&page=${someOf(200)}&x=${random(9)}`
  })
}

export type Statuses = Record<number, number>

const madeBefore = 1000

/** Requests that are made before they are sent, since the making would delay the one who measures. */
export const premade = (make: () => Call) => {
  const requests = Array.from({ length: madeBefore }, () => requestBytes(make()))
  let sent = 0
  return () => requests[sent++ % madeBefore] as Buffer
}

/** Sends as many requests at once, and again as soon as all of them are answered, until it is told to stop. */
export const attack = async (port: number, atOnce: number, next: () => Buffer) => {
  const callers = await Promise.all(Array.from({ length: atOnce }, () => callerAt(port)))
  const statuses: Statuses = {}
  let ended = false
  const attacking = (async () => {
    while (!ended)
      await Promise.all(
        callers.map(async ({ ask }) => {
          const { status } = await ask(next())
          statuses[status] = (statuses[status] ?? 0) + 1
        })
      )
  })()
  return {
    stop: async () => {
      ended = true
      await attacking
      for (const { end } of callers) end()
      return statuses
    }
  }
}
