import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { type Lease, leasesOf } from '../database/leases.js'
import { withRetries } from '../database/retry.js'
import { minutes, seconds } from '../time.js'
import { Delivery, type DeliveryListeners } from './delivery.js'
import { type Endpoint, endpointsOf } from './endpoints.js'
import { intakeOf } from './intake.js'
import { type OutboxDocument, outboxOf } from './outbox.js'
import { type Beginning, changesSince, isLost, isStandalone, type Position, sinceMoment } from './stream.js'

/** How soon another process takes over from a killed one. */
const leaseLife = seconds(9)
const checkEvery = seconds(1)
const measureEvery = seconds(5)
const pruneEvery = minutes(1)
/** How often the position is written. Events that are read again after a crash are recognized. */
const saveEvery = seconds(1)

interface Listeners extends DeliveryListeners {
  onStandalone: () => void
  /** Called when the change stream continues from now, because the oplog no longer has its position. */
  onPositionLost: () => void
  /** Called when undelivered events were removed, because they were too old or too many. */
  onEventsLost: (endpoint: string, count: number) => void
}

/** What is waiting for enabled endpoints. Only known in the process that delivers. */
interface State {
  waiting: number
  /** When the oldest waiting event happened. */
  since: Date | undefined
  disabled: number
}
const nothing: State = { waiting: 0, since: undefined, disabled: 0 }

/** Sends events to the endpoints of other systems. Runs in one process at a time. */
export class Webhooks {
  state = nothing
  private readonly endpoints
  private readonly outbox
  private readonly leases
  private readonly positions
  private readonly deliveries = new Map<string, Delivery>()
  private known: Endpoint[] = []

  constructor(
    private readonly db: Db,
    private readonly listeners: Listeners
  ) {
    this.endpoints = endpointsOf(db)
    this.outbox = outboxOf(db)
    this.leases = leasesOf(db, leaseLife)
    this.positions = positionsOf(db)
  }

  /** Whether webhooks can be sent. Checked once, because a server does not join a replica set while it runs. */
  async canRun() {
    const isAlone = await isStandalone(this.db)
    if (isAlone) this.listeners.onStandalone()
    return !isAlone
  }

  /** Delivers until the signal aborts, unless another process does, or there is no endpoint. */
  async run(signal: AbortSignal) {
    this.known = await this.endpoints.list()
    if (this.known.length > 0) await this.leases.withLease('webhooks', lease => this.runHolding(lease, signal))
  }

  private async runHolding(lease: Lease, stopped: AbortSignal) {
    const ended = new AbortController()
    const signal = AbortSignal.any([stopped, ended.signal])
    const repeat = async (every: number, work: () => Promise<unknown>) => {
      while (!signal.aborted) {
        await work()
        await sleep(every, undefined, { signal }).catch(() => undefined)
      }
    }
    const all = [
      repeat(checkEvery, () => this.check(lease)),
      repeat(measureEvery, () => this.measure()),
      repeat(pruneEvery, () => this.prune()),
      this.takeIn(signal)
    ]
    try {
      // All end when the first one ends or fails.
      await Promise.race(all)
    } finally {
      ended.abort()
      await Promise.allSettled(all)
      await Promise.all([...this.deliveries.values()].map(delivery => delivery.stop()))
      this.deliveries.clear()
      this.state = nothing
    }
  }

  /** Starts and ends deliveries to endpoints that were added, removed, enabled or disabled. */
  private async check({ confirm }: Lease) {
    await confirm()
    this.known = await this.endpoints.list()
    const enabled = new Map(this.known.filter(({ disabled }) => !disabled).map(endpoint => [endpoint._id, endpoint]))
    for (const [id, delivery] of this.deliveries) {
      if (enabled.has(id) && !delivery.isStopped) continue
      this.deliveries.delete(id)
      await delivery.stop()
    }
    const { outbox, endpoints, listeners } = this
    for (const [id, endpoint] of enabled) {
      const delivery = this.deliveries.get(id)
      if (delivery) delivery.endpoint = endpoint
      else this.deliveries.set(id, new Delivery(endpoint, { outbox, endpoints, ...listeners }))
    }
  }

  /** Stores the events of changes for the endpoints. Ends if someone else dropped the position, or there is no longer any endpoint. */
  private async takeIn(signal: AbortSignal) {
    const known = await this.positions.read()
    const batches = changesSince(this.db, this.beginningAt(known), signal)
    await this.storeAll(batches, !known)
      .catch(error => (signal.aborted ? undefined : this.afterFailure(error)))
      .finally(() => batches.return(undefined as never))
  }

  private async storeAll(batches: ReturnType<typeof changesSince>, isNew: boolean) {
    const intake = intakeOf(this.db)
    let isFirst = isNew
    let savedAt = 0
    for (;;) {
      const { changes, position } = (await batches.next()).value
      await this.store(await intake(changes, this.known))
      if (performance.now() - savedAt < saveEvery) continue
      if (!(await this.positions.save(position, isFirst))) return
      isFirst = false
      savedAt = performance.now()
      if (this.known.length === 0) return this.positions.remove()
    }
  }

  private async afterFailure(error: unknown) {
    if (!isLost(error)) throw error
    this.listeners.onPositionLost()
    await this.positions.drop()
  }

  /** If there was never a position, starts when the first endpoint was added. If it was dropped, starts now. */
  private beginningAt(position: Position | null | undefined): Beginning {
    if (position) return { startAfter: position }
    if (position === null) return {}
    return sinceMoment(new Date(Math.min(...this.known.map(({ created_at }) => created_at.getTime()))))
  }

  private async store(events: OutboxDocument[]) {
    if (events.length === 0) return
    await this.outbox.add(events)
    for (const { _id } of events) this.deliveries.get(_id.endpoint)?.wake()
  }

  private async measure() {
    const enabled = this.known.filter(({ disabled }) => !disabled)
    const states = await Promise.all(enabled.map(({ _id }) => this.outbox.state(_id)))
    const moments = states.flatMap(({ since }) => since?.getTime() ?? [])
    this.state = {
      waiting: states.reduce((sum, { count }) => sum + count, 0),
      since: moments.length > 0 ? new Date(Math.min(...moments)) : undefined,
      disabled: this.known.length - enabled.length
    }
  }

  private async prune() {
    for (const { _id } of this.known) {
      const lost = await this.outbox.prune(_id)
      if (lost > 0) this.listeners.onEventsLost(_id, lost)
    }
  }
}

/** After a restore, waiting events may never have happened, and the position in the oplog is no longer valid. */
export const forgetWebhooks = async (db: Db) => {
  await positionsOf(db).drop()
  await outboxOf(db).clear()
}

/** The position up to which the change stream has been read. */
const positionsOf = (db: Db) => {
  const positions = db.collection<{ _id: 'webhooks'; position: Position | null }>('revisions')
  const _id = 'webhooks'
  return {
    read: async () => (await withRetries(() => positions.findOne({ _id })))?.position,
    /** False if the position was dropped since it was read, for example by `npm run restore`, unless it is the first one. */
    save: async (position: Position, isFirst: boolean) => {
      const { matchedCount, upsertedCount } = await withRetries(() =>
        positions.updateOne({ _id, ...(!isFirst && { position: { $ne: null } }) }, { $set: { position } }, { upsert: isFirst })
      )
      return matchedCount + upsertedCount > 0
    },
    /** Makes the change stream continue from now. */
    drop: () => withRetries(() => positions.updateOne({ _id }, { $set: { position: null } }, { upsert: true })),
    remove: async () => {
      await withRetries(() => positions.deleteOne({ _id }))
    }
  }
}
