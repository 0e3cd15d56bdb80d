import { hash } from 'node:crypto'
import { Kept } from '../kept.js'
import { type Made, ownBytes } from './bytes.js'

/** A public answer: its bytes and the tag that names them. */
export interface Answer {
  bytes: Buffer
  etag: string
}

export const answerOf = (bytes: Buffer): Answer => ({ bytes, etag: `"${hash('sha1', bytes, 'base64').slice(0, 27)}"` })

interface KeptAnswer {
  answer: Answer
  version: number
  until: number
}

const bytesKept = 16 * 1024 * 1024
/** What an answer takes besides its bytes: the buffer around them and the tag. */
const overhead = 600

/** For what state of the catalogue, and until when, an answer holds. */
interface Validity {
  version: number
  now: number
  until: () => number
}

/** Begins a job when its time has come. */
export type Run = <T>(job: () => T | Promise<T>) => Promise<T>

/** Answers ready to be sent again, until the catalogue or the clock changes what they say. */
export class Answers {
  private readonly kept = new Kept<string, KeptAnswer>(bytesKept, ({ answer }) => answer.bytes.length + overhead)

  /** What is not kept is made when `run` gets to it. */
  get(key: string, validity: Validity, make: () => Made | Promise<Made>, run: Run): Answer | Promise<Answer> {
    return this.known(key, validity) ?? run(() => this.known(key, validity) ?? this.make(key, validity, make))
  }

  private known(key: string, { version, now }: Validity) {
    const known = this.kept.get(key)
    return known?.version === version && now < known.until ? known.answer : undefined
  }

  private async make(key: string, { version, until }: Validity, make: () => Made | Promise<Made>) {
    // Before anything is read: what changes while it is made is not in it.
    const holdsUntil = until()
    const { bytes, isEmpty } = await make()
    if (isEmpty) return answerOf(bytes)
    const answer = answerOf(ownBytes(bytes))
    this.kept.put(key, { answer, version, until: holdsUntil })
    return answer
  }
}
