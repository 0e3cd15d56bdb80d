import { milliseconds } from './findings.js'

/** A period during which something failed, by performance.now(). */
export interface Span {
  name: string
  from: number
  to: number
}

const isWithin = (at: number, { from, to }: Span) => at >= from && at <= to

/** The events whose writes were acknowledged, and which of them have arrived. */
export class Events {
  forged = 0
  lastArrival = 0
  private readonly acknowledged = new Map<string, number>()
  private readonly arrived = new Map<string, number>()
  /** How often each id has arrived. */
  private readonly deliveries = new Map<string, number>()

  acknowledge(key: string) {
    this.acknowledged.set(key, performance.now())
  }

  arrive(key: string, id: string, at: number) {
    this.lastArrival = at
    if (!this.arrived.has(key)) this.arrived.set(key, at)
    this.deliveries.set(id, (this.deliveries.get(id) ?? 0) + 1)
  }

  /** The events acknowledged until a moment that have not arrived. */
  missing(until = performance.now()) {
    return [...this.acknowledged].filter(([key, at]) => at <= until && !this.arrived.has(key)).map(([key]) => key)
  }

  during(span: Span) {
    return this.waits(at => isWithin(at, span))
  }

  besides(spans: Span[]) {
    return this.waits(at => !spans.some(span => isWithin(at, span)))
  }

  get counts() {
    const all = [...this.deliveries.values()]
    return { acknowledged: this.acknowledged.size, delivered: all.length, doubled: all.filter(count => count > 1).length }
  }

  /** How long events took to arrive, by when they were acknowledged. An event may arrive before the response to its viewer. */
  private waits(isMeant: (at: number) => boolean) {
    const meant = [...this.acknowledged].filter(([, at]) => isMeant(at))
    return new Waits(meant.map(([key, at]) => Math.max(0, (this.arrived.get(key) ?? Number.POSITIVE_INFINITY) - at)))
  }
}

export class Waits {
  constructor(private readonly all: number[]) {
    all.sort((a, b) => a - b)
  }

  percentile(share: number) {
    return this.all[Math.ceil(this.all.length * share) - 1] ?? Number.NaN
  }

  toString() {
    const [p50, p99, slowest] = [0.5, 0.99, 1].map(share => milliseconds(this.percentile(share)))
    return `${this.all.length} events, p50 ${p50}, p99 ${p99}, slowest ${slowest}`
  }
}
