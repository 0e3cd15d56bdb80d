import { createHistogram } from 'node:perf_hooks'
import { inWords } from '../counts.js'
import type { Answer } from './ask.js'

/** Counts the outcomes of requests by kind, measures their durations, and remembers the last failure. */
export class Outcomes {
  readonly counts = new Map<string, number>()
  private readonly durations = createHistogram()
  private failedAt = Number.NEGATIVE_INFINITY

  /** Waits for a response and counts it. Resolves with undefined if none came. */
  async of(answer: Promise<Answer>): Promise<Answer | undefined> {
    const began = performance.now()
    try {
      const arrived = await answer
      this.count(kindOf(arrived), performance.now() - began)
      return arrived
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      this.count(code ?? message, performance.now() - began)
      return undefined
    }
  }

  get total() {
    return sum(this.counts.values())
  }

  /** The number of outcomes of any other kind. */
  besides(isExpected: (kind: string) => boolean) {
    return sum([...this.counts].filter(([kind]) => !isExpected(kind)).map(([, count]) => count))
  }

  get slowest() {
    return this.durations.max / 1000
  }

  /** The given percentile of all durations, in milliseconds. */
  within(percentage: number) {
    return this.durations.percentile(percentage) / 1000
  }

  /** When the last request failed, by performance.now(). */
  get lastFailure() {
    return this.failedAt
  }

  toString() {
    return inWords(this.counts)
  }

  private count(kind: string, milliseconds: number) {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    this.durations.record(Math.max(1, Math.round(milliseconds * 1000)))
    if (!isSuccess(kind)) this.failedAt = performance.now()
  }
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

export const isSuccess = (kind: string) => /^2\d\d$/.test(kind)
/** A success, or the refusal that the documentation tells callers to expect. */
export const isPromised = (kind: string) => isSuccess(kind) || kind === '503'
/** A connection that broke because the process ended. */
export const isBroken = (kind: string) => /^ECONN|hang up/.test(kind)

const kindOf = ({ status, headers, body }: Answer) => {
  if (status !== 503) return String(status)
  const isDocumented = /^[1-9]\d*$/.test(headers['retry-after'] ?? '') && /^\{"success":false,"code":503,"message":"[^"]+"\}$/.test(body)
  return isDocumented ? '503' : '503 in another shape'
}
