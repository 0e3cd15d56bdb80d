import { quantile } from '../measures/statistics.js'

/** A request of an open loop, with milliseconds since the beginning. */
export interface Arrival {
  /** When the clock wanted it sent. */
  due: number
  /** When the generator came to it. */
  begun?: number
  answered?: number
  status?: number
  retryAfter?: boolean
  /** The connection broke before the answer. */
  broken?: boolean
}

/** When the n-th request is due, n from 0. */
export const dueAt = (n: number, perSecond: number) => (n * 1000) / perSecond

/** How many are due after so many milliseconds: the one at 0, and those since. */
export const dueBy = (milliseconds: number, perSecond: number) => Math.floor((milliseconds * perSecond) / 1000) + 1

export interface Latencies {
  count: number
  p50: number
  p99: number
  longest: number
}

export interface Tally {
  /** What was asked for, a second. */
  offered: number
  /** Successes that came while requests arrived, a second. */
  succeeded: number
  /** 503s with Retry-After that came in time, a second. */
  refused: number
  /** By status; those that were never answered as `unanswered`, those whose connection broke as `broken`. */
  counts: Record<string, number>
  successes: Latencies
  refusals: Latencies
  /** Answers that are neither a success nor a 503 with Retry-After that came in time. */
  unfit: number
  /** How late the generator was: large where it is the limit itself. */
  lateness: Latencies
}

/** A refusal must come so soon, in milliseconds. */
const promptly = 100

const latencies = (values: number[]): Latencies =>
  values.length === 0
    ? { count: 0, p50: 0, p99: 0, longest: 0 }
    : { count: values.length, p50: quantile(values, 0.5), p99: quantile(values, 0.99), longest: quantile(values, 1) }

const outcomeOf = ({ status, broken }: Arrival) => (broken ? 'broken' : String(status ?? 'unanswered'))
const isSuccess = ({ status = 0 }: Arrival) => status >= 200 && status < 300
const isRefusal = ({ status, retryAfter = false }: Arrival) => status === 503 && retryAfter
/** From the moment that was meant, not from when there was a connection for it. */
const latencyOf = ({ due, answered = Number.NaN }: Arrival) => answered - due

/** What became of the requests that arrived in so many seconds. */
export const tallyOf = (arrivals: Arrival[], seconds: number): Tally => {
  const counts: Record<string, number> = {}
  for (const arrival of arrivals) counts[outcomeOf(arrival)] = (counts[outcomeOf(arrival)] ?? 0) + 1
  const successes = arrivals.filter(isSuccess)
  const refusals = arrivals.filter(isRefusal)
  const prompt = refusals.filter(refusal => latencyOf(refusal) <= promptly)
  return {
    offered: arrivals.length / seconds,
    succeeded: successes.filter(({ answered = 0 }) => answered <= seconds * 1000).length / seconds,
    refused: prompt.length / seconds,
    counts,
    successes: latencies(successes.map(latencyOf)),
    refusals: latencies(refusals.map(latencyOf)),
    unfit: arrivals.length - successes.length - prompt.length,
    lateness: latencies(arrivals.map(({ due, begun = due }) => begun - due))
  }
}
