import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { days, hours, minutes, seconds } from '../time.js'
import { type Agent, agentFor, attempt, mostAtOnce, type Outcome, patience } from './attempt.js'
import type { Endpoint, Endpoints } from './endpoints.js'
import type { Outbox, OutboxDocument, Result } from './outbox.js'

/** The delays between failed attempts. After the last one, the endpoint is disabled. */
export const retryDelays = [seconds(5), minutes(5), minutes(30), ...[2, 5, 10, 14, 20, 24].map(hours)]
/**
 * An endpoint that has delivered nothing for this long is also disabled, because with many events, none may ever get to its last attempt.
 */
export const longestFailure = days(3.25)
/** So that events that failed together are not retried together. */
const jitter = 0.1

/** After this many failures in a row, an endpoint counts as failing, and its attempts start one at a time until one is delivered. */
const manyFailures = 20
/** In milliseconds, between two attempts of a failing endpoint, because each may cost a connection. */
const failingPace = 100

/** How long results are collected before they are written, in milliseconds. */
const gathering = 50
/** How often to look for due events without a wake-up. */
const lookEvery = 500
const retryEvery = seconds(1)
/** How long stopping waits for attempts in progress. */
const stopPatience = seconds(1)

export interface DeliveryListeners {
  onOutcome: (isDelivered: boolean) => void
  onDisabled: (endpoint: string, reason: string) => void
}

interface DeliveryOptions extends DeliveryListeners {
  outbox: Pick<Outbox, 'due' | 'record'>
  endpoints: Pick<Endpoints, 'disable' | 'setFailing'>
}

/** Delivers the events of one endpoint, so that no endpoint waits for another. */
export class Delivery {
  private readonly agent: Agent
  /** The ids of events that are being sent, or whose result has not been written yet. */
  private readonly busy = new Set<string>()
  private results: Result[] = []
  private underWay = 0
  private failures = 0
  private readonly stopping = new AbortController()
  private isCutOff = false
  /** Emits `change` when something new is due, or an attempt has ended. */
  private readonly signals = new EventEmitter()
  private readonly working: Promise<unknown>

  constructor(
    public endpoint: Endpoint,
    private readonly options: DeliveryOptions
  ) {
    this.agent = agentFor(endpoint)
    this.working = Promise.all([this.deliverDue(), this.writeResults()])
  }

  /** Call it when something may be due. */
  wake() {
    this.signals.emit('change')
  }

  async stop() {
    this.stopping.abort()
    this.wake()
    const last = setTimeout(() => this.cutOff(), stopPatience)
    // An unresponsive database would delay it.
    await Promise.race([this.working, sleep(2 * stopPatience, undefined, { ref: false })])
    clearTimeout(last)
    this.cutOff()
  }

  private cutOff() {
    this.isCutOff = true
    this.agent.destroy()
  }

  get isStopped() {
    return this.stopping.signal.aborted
  }

  /** Resolves at the next change, or after this many milliseconds. */
  private async change(within = patience) {
    const over = new AbortController()
    const { signal } = over
    await Promise.race([once(this.signals, 'change', { signal }), sleep(within, undefined, { signal })])
    over.abort()
  }

  private pause(milliseconds: number) {
    return sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined)
  }

  private async deliverDue() {
    while (!this.isStopped) {
      const due = await this.due()
      if (due.length === 0) await this.change(lookEvery)
      for (const event of due) {
        await this.turn()
        if (this.isStopped) return
        void this.deliver(event)
      }
    }
  }

  /** The due events. Waits while the database is unavailable. */
  private async due() {
    // A copy, because the read may still find an event whose result is written meanwhile.
    const busy = new Set(this.busy)
    try {
      const found = await this.options.outbox.due(this.endpoint._id, mostAtOnce + busy.size)
      return found.filter(({ _id }) => !busy.has(_id.id))
    } catch {
      await this.pause(retryEvery)
      return []
    }
  }

  /** Waits until an attempt may begin. */
  private async turn() {
    while (this.underWay >= mostAtOnce && !this.isStopped) await this.change()
    if (this.failures >= manyFailures) await this.pause(failingPace)
  }

  private async deliver(event: OutboxDocument) {
    const { _id, body } = event
    this.busy.add(_id.id)
    this.underWay++
    const outcome = await attempt(this.endpoint, { id: _id.id, body }, this.agent)
    this.underWay--
    this.wake()
    // An attempt that was cut off has not failed because of the endpoint.
    if (outcome.cause !== undefined && this.isCutOff) return
    this.options.onOutcome(outcome.cause === undefined)
    this.results.push({ _id, ...(outcome.cause !== undefined && { dueIn: await this.delayAfter(event, outcome) }) })
    if (outcome.cause === undefined) await this.noteSuccess()
  }

  private async noteSuccess() {
    this.failures = 0
    if (!this.endpoint.failing_since) return
    delete this.endpoint.failing_since
    await this.options.endpoints.setFailing(this.endpoint._id, false).catch(() => undefined)
  }

  /** How long until the next attempt. Disables the endpoint if there is none. */
  private async delayAfter({ attempts }: OutboxDocument, { status, cause = '' }: Outcome) {
    this.failures++
    const { _id, failing_since } = this.endpoint
    if (this.failures === manyFailures && !failing_since) {
      this.endpoint.failing_since = new Date()
      await this.options.endpoints.setFailing(_id, true).catch(() => undefined)
    }
    const delay = retryDelays[attempts]
    const isOver = delay === undefined || (failing_since && Date.now() - failing_since.getTime() > longestFailure)
    if (status !== 410 && !isOver) return delay * (1 + jitter * Math.random())
    await this.disable(cause)
    return 0
  }

  private async disable(reason: string) {
    if (this.isStopped) return
    this.stopping.abort()
    this.wake()
    const disabled = await this.options.endpoints.disable(this.endpoint._id, reason).catch(() => null)
    if (disabled) this.options.onDisabled(this.endpoint._id, reason)
  }

  private async writeResults() {
    while (!this.isStopped || this.underWay > 0 || this.results.length > 0) {
      await sleep(gathering)
      const results = this.results.splice(0)
      if (results.length === 0) continue
      try {
        await this.options.outbox.record(results)
        for (const { _id } of results) this.busy.delete(_id.id)
      } catch {
        if (this.isCutOff) return
        this.results.unshift(...results)
        await this.pause(retryEvery)
      }
    }
  }
}
