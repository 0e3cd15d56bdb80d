import { hash } from 'node:crypto'
import { Cache } from '../cache.js'
import { type AnswerBody, type Json, ownBytes } from './bytes.js'

/** A public response. */
export interface Answer<T> {
  bytes: Json<T>
  etag: string
}

export const answerOf = <T>(bytes: Json<T>): Answer<T> => ({ bytes, etag: `"${hash('sha1', bytes, 'base64').slice(0, 27)}"` })

interface CachedAnswer {
  answer: Answer<unknown>
  version: number
  until: number
}

const cacheBytes = 16 * 1024 * 1024
/** Memory of an answer besides its bytes: the buffer object and the tag. */
const overhead = 600

/** The version of the catalogue that an answer is made from, and until when it holds. */
interface Validity {
  version: number
  now: number
  until: () => number
}

/** Runs a job when its turn comes. */
export type RunInTurn = <T>(job: () => T | Promise<T>) => Promise<T>

/** What a public response needs of the catalogue. `Catalogue` says what the methods do. */
export interface Answering {
  assertFresh: () => void
  answer: <T>(key: string, make: () => AnswerBody<T> | Promise<AnswerBody<T>>) => Answer<T> | Promise<Answer<T>>
}

/** Public responses, until the catalogue or the clock makes them outdated. */
export class AnswerCache {
  private readonly cache = new Cache<string, CachedAnswer>(cacheBytes, ({ answer }) => answer.bytes.length + overhead)
  /** Answers that are being made. Some wait for the database meanwhile. */
  private readonly pending = new Map<string, Promise<CachedAnswer>>()

  /** `run` decides when a missing answer is made. By then another request may have made it, or begun to. */
  get<T>(
    key: string,
    validity: Validity,
    make: () => AnswerBody<T> | Promise<AnswerBody<T>>,
    run: RunInTurn
  ): Answer<T> | Promise<Answer<T>> {
    return this.known<T>(key, validity) ?? run(() => this.known<T>(key, validity) ?? this.made(key, validity, make))
  }

  /** Undefined if there is none, or only an outdated one. The cast is safe because the answers of one key all have the same type. */
  private known<T>(key: string, { version, now }: Validity) {
    const known = this.cache.get(key)
    return known?.version === version && now < known.until ? (known.answer as Answer<T>) : undefined
  }

  private async made<T>(key: string, validity: Validity, make: () => AnswerBody<T> | Promise<AnswerBody<T>>) {
    const name = `${validity.version} ${key}`
    const begun = this.pending.get(name)
    if (begun) {
      const { answer, until } = await begun
      // What was begun for an earlier request may hold no longer.
      if (validity.now < until) return answer as Answer<T>
    }
    const making = this.make(key, validity, make).finally(() => this.pending.delete(name))
    this.pending.set(name, making)
    return (await making).answer as Answer<T>
  }

  private async make<T>(key: string, { version, until }: Validity, make: () => AnswerBody<T> | Promise<AnswerBody<T>>) {
    // Taken before `make` reads anything, because the answer may lack what starts or ends while it is made.
    const holdsUntil = until()
    const { bytes, isEmpty, until: ownEnd = holdsUntil } = await make()
    const made: CachedAnswer = { answer: answerOf(isEmpty ? bytes : ownBytes(bytes)), version, until: Math.min(holdsUntil, ownEnd) }
    if (!isEmpty) this.cache.put(key, made)
    return made
  }
}
