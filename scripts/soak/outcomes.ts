import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { Db } from 'mongodb'
import type { HistoryDocument } from '../../src/viewing/history.js'
import type { WatchlistDocument } from '../../src/viewing/watchlist.js'
import type { Answer } from './viewers.js'

/** How often each kind occurred. */
export type Counts = Record<string, number>

export const increment = (counts: Counts, kind: string | number) => {
  counts[kind] = (counts[kind] ?? 0) + 1
}

/** `3 x 200, 1 x 503` */
export const inWords = (counts: Counts | Map<string, number>) =>
  (counts instanceof Map ? [...counts] : Object.entries(counts)).map(([kind, count]) => `${count} x ${kind}`).join(', ')

export interface Latencies {
  count: number
  /** All in milliseconds. */
  p50: number
  p99: number
  slowest: number
}

/** Counts the outcomes of requests by kind, measures their durations, and remembers the last failure. */
export class Outcomes {
  private readonly kinds = new Map<string, RecordableHistogram>()
  private failedAt = Number.NEGATIVE_INFINITY

  /** Waits for a response and counts it. Resolves with undefined if there was none. */
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

  get counts(): Counts {
    return Object.fromEntries([...this.kinds].map(([kind, { count }]) => [kind, count]))
  }

  get total() {
    return this.latencies().count
  }

  /** The number of outcomes of any other kind. */
  besides(isExpected: (kind: string) => boolean) {
    return this.latencies(kind => !isExpected(kind)).count
  }

  /** How long the outcomes of some kinds took. */
  latencies(isMeant: (kind: string) => boolean = () => true): Latencies {
    const all = createHistogram()
    for (const [kind, durations] of this.kinds) if (isMeant(kind)) all.add(durations)
    const { count } = all
    if (count === 0) return { count, p50: 0, p99: 0, slowest: 0 }
    return { count, p50: all.percentile(50) / 1000, p99: all.percentile(99) / 1000, slowest: all.max / 1000 }
  }

  /** When the last request failed, by performance.now(). */
  get lastFailure() {
    return this.failedAt
  }

  toString() {
    return inWords(new Map([...this.kinds].map(([kind, { count }]) => [kind, count])))
  }

  private count(kind: string, milliseconds: number) {
    const durations = this.kinds.get(kind) ?? createHistogram()
    durations.record(Math.max(1, Math.round(milliseconds * 1000)))
    this.kinds.set(kind, durations)
    if (!isSuccess(kind)) this.failedAt = performance.now()
  }
}

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

interface Entry {
  acknowledged?: number
  /** Values sent after the acknowledged one. They may or may not have been stored. */
  uncertain: number[]
}

const key = (user: number, content: number) => `${user} ${content}`

/** Records acknowledged writes, to compare them with the database at the end. */
export class Ledger {
  writes = 0
  private readonly times = new Map<string, Entry>()
  private readonly saved = new Set<string>()

  /** Records the start of a report. Its time must be later than those of all earlier reports. */
  reporting(user: number, content: number, time: number) {
    const entry = this.times.get(key(user, content)) ?? { uncertain: [] }
    entry.uncertain.push(time)
    this.times.set(key(user, content), entry)
    return {
      acknowledge: () => {
        this.writes++
        entry.acknowledged = time
        entry.uncertain = []
      }
    }
  }

  acknowledgeSaved(user: number, content: number) {
    this.writes++
    this.saved.add(key(user, content))
  }

  async lost(db: Db) {
    const majority = { readConcern: { level: 'majority' } } as const
    const stored = new Map<string, number>()
    for await (const { user_id, content_id, time } of db.collection<HistoryDocument>('history').find({}, majority))
      stored.set(key(user_id, content_id), time)
    const listed = new Set<string>()
    for await (const { user_id, content_id } of db.collection<WatchlistDocument>('watchlist').find({}, majority))
      listed.add(key(user_id, content_id))

    const times = [...this.times].filter(([name, { acknowledged, uncertain }]) => {
      const time = stored.get(name)
      return acknowledged !== undefined && time !== acknowledged && !(time !== undefined && uncertain.includes(time))
    })
    const saved = [...this.saved].filter(name => !listed.has(name))
    return [...times.map(([name]) => `history ${name}`), ...saved.map(name => `watchlist ${name}`)]
  }
}

interface Point {
  minute: number
  value: number
}

/** The slope of a value that is measured repeatedly. */
export class Trend {
  private readonly points: Point[] = []
  private readonly began = performance.now()

  add(value: number) {
    this.points.push({ minute: (performance.now() - this.began) / 60_000, value })
  }

  /** A line fitted to the measurements, without the first quarter as warm-up. */
  line() {
    const end = this.points.at(-1)?.minute ?? 0
    const points = this.points.filter(({ minute }) => minute >= end / 4)
    const middle = { minute: mean(points.map(({ minute }) => minute)), value: mean(points.map(({ value }) => value)) }
    const along = points.map(({ minute, value }) => (minute - middle.minute) * (value - middle.value))
    const apart = points.map(({ minute }) => (minute - middle.minute) ** 2)
    return { perMinute: sum(along) / sum(apart), minutes: end - (points[0]?.minute ?? 0), last: points.at(-1)?.value ?? 0 }
  }
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: number[]) => sum(values) / values.length
