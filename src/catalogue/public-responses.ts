import { hash } from 'node:crypto'
import { Cache } from '../cache.js'
import { type AnswerBody, type Json, ownBytes, UnjoinedJson } from './bytes.js'

/** A public response. */
export interface PublicResponse<T> {
  bytes: Json<T>
  etag: string
}

/** A response that is known, or still being made. */
export type EventualResponse<T> = PublicResponse<T> | Promise<PublicResponse<T>>

export const withETag = <T>(bytes: Json<T>): PublicResponse<T> => {
  const digest = bytes instanceof UnjoinedJson ? bytes.hash() : hash('sha1', bytes, 'base64')
  return { bytes, etag: `"${digest.slice(0, 27)}"` }
}

/** The version of the catalogue that a value is made from, and until when the value is valid. */
interface Validity {
  version: number | string
  now: number
  until: () => number
}

interface Kept<Value> {
  value: Value
  version: Validity['version']
  until: number
}

interface Made<Value> {
  value: Value
  isKept: boolean
  /** When it becomes outdated, even if the availability of contents does not change. */
  until?: number | undefined
}

export type RunInTurn = <T>(job: () => T | Promise<T>) => Promise<T>

/** The part of the catalogue that a public response needs. `Catalogue` documents the methods. */
export interface Answering {
  assertFresh: () => void
  answer: <T>(key: string, make: () => AnswerBody<T> | Promise<AnswerBody<T>>) => EventualResponse<T>
}

/** A cache of values made from the catalogue, until the catalogue or the clock makes them outdated. */
export class ValidCache<Value> {
  private readonly cache: Cache<string, Kept<Value>>
  /** Values that are being made, some of which wait for the database. */
  private readonly pending = new Map<string, Promise<Kept<Value>>>()

  constructor(bound: number, sizeOf: (value: Value) => number) {
    this.cache = new Cache(bound, ({ value }) => sizeOf(value))
  }

  /** `run` decides when a missing value is made. By then, another request may have made it, or begun to. */
  get(key: string, validity: Validity, make: () => Made<Value> | Promise<Made<Value>>, run: RunInTurn): Value | Promise<Value> {
    return this.known(key, validity) ?? run(() => this.known(key, validity) ?? this.makeOnce(key, validity, make))
  }

  private known(key: string, { version, now }: Validity) {
    const known = this.cache.get(key)
    return known?.version === version && now < known.until ? known.value : undefined
  }

  private async makeOnce(key: string, validity: Validity, make: () => Made<Value> | Promise<Made<Value>>) {
    const name = `${validity.version} ${key}`
    const begun = this.pending.get(name)
    if (begun) {
      const { value, until } = await begun
      // A value begun for an earlier request may be outdated by now.
      if (validity.now < until) return value
    }
    const making = this.makeAndKeep(key, validity, make).finally(() => this.pending.delete(name))
    this.pending.set(name, making)
    return (await making).value
  }

  private async makeAndKeep(key: string, { version, until }: Validity, make: () => Made<Value> | Promise<Made<Value>>) {
    // Read before `make` begins, because the value may miss what starts or ends meanwhile.
    const holdsUntil = until()
    const { value, isKept, until: ownEnd = holdsUntil } = await make()
    const made = { value, version, until: Math.min(holdsUntil, ownEnd) }
    if (isKept) this.cache.set(key, made)
    return made
  }
}

const cacheBytes = 16 * 1024 * 1024
/** Memory of a response besides its bytes: the buffer object and the tag. */
const overhead = 600

/** Public responses. All responses of a key have the same type, which makes the cast safe. */
export class ResponseCache {
  private readonly answers = new ValidCache<PublicResponse<unknown>>(cacheBytes, ({ bytes }) => bytes.length + overhead)

  get<T>(key: string, validity: Validity, make: () => AnswerBody<T> | Promise<AnswerBody<T>>, run: RunInTurn) {
    const answer = async () => {
      const { bytes, isEmpty, until } = await make()
      return { value: withETag(isEmpty ? bytes : ownBytes(bytes)), isKept: !isEmpty, until }
    }
    return this.answers.get(key, validity, answer, run) as EventualResponse<T>
  }
}
