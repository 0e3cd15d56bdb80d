import { hash } from 'node:crypto'
import { Kept } from '../kept.js'

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
const overhead = 500

/** Answers ready to be sent again, until the catalogue or the clock changes what they say. */
export class Answers {
  private readonly making = new Map<string, Promise<Answer>>()
  private readonly kept = new Kept<string, KeptAnswer>(bytesKept, ({ answer }, key) => key.length * 2 + answer.bytes.length + overhead)

  /** `version` and `until` say for what state of the catalogue, and until when, an answer holds. */
  get(key: string, version: number, now: number, until: () => number, make: () => Buffer | Promise<Buffer>): Answer | Promise<Answer> {
    const known = this.kept.get(key)
    if (known?.version === version && now < known.until) return known.answer
    const name = `${version} ${key}`
    const others = this.making.get(name)
    if (others) return others
    const answer = this.make(key, version, until(), make).finally(() => this.making.delete(name))
    this.making.set(name, answer)
    return answer
  }

  private async make(key: string, version: number, until: number, make: () => Buffer | Promise<Buffer>) {
    const answer = answerOf(await make())
    this.kept.put(key, { answer, version, until })
    return answer
  }
}
