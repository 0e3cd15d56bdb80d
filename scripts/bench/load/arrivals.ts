import { quantile } from '../measures/statistics.js'

/** A request of an open loop. Times are milliseconds since the start. */
export interface Arrival {
  /** When it should have been sent. */
  due: number
  /** When the generator sent it. */
  begun?: number
  answered?: number
  status?: number
  retryAfter?: boolean
  /** Whether the connection broke before the response. */
  broken?: boolean
}

/** When the n-th request is due, counting from 0. */
export const dueAt = (n: number, perSecond: number) => (n * 1000) / perSecond

/** The number of requests due by then, including the one at 0. */
export const dueBy = (milliseconds: number, perSecond: number) => Math.floor((milliseconds * perSecond) / 1000) + 1

export interface Latencies {
  count: number
  p50: number
  p99: number
  longest: number
}

export interface Tally {
  /** Requests per second. */
  offered: number
  /** Successes per second, without those that came after the last request. */
  succeeded: number
  /** Timely 503s with Retry-After, per second. */
  refused: number
  /** By status, or `unanswered`, or `broken` if the connection broke. */
  counts: Record<string, number>
  successes: Latencies
  refusals: Latencies
  /** Requests that got neither a success nor a timely 503 with Retry-After. */
  unfit: number
  /** The delay of the generator. It is large if the generator itself is the bottleneck. */
  lateness: Latencies
}

/** Milliseconds within which a refusal is timely. */
const promptly = 100

const latencies = (values: number[]): Latencies =>
  values.length === 0
    ? { count: 0, p50: 0, p99: 0, longest: 0 }
    : { count: values.length, p50: quantile(values, 0.5), p99: quantile(values, 0.99), longest: quantile(values, 1) }

const outcomeOf = ({ status, broken }: Arrival) => (broken ? 'broken' : String(status ?? 'unanswered'))
const isSuccess = ({ status = 0 }: Arrival) => status >= 200 && status < 300
const isRefusal = ({ status, retryAfter = false }: Arrival) => status === 503 && retryAfter
/** Measured from when the request was due, not from when it got a connection. */
const latencyOf = ({ due, answered = Number.NaN }: Arrival) => answered - due

/** Summarizes the outcomes of all requests of a run. */
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
