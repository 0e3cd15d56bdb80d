import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Data } from '../database/data.js'
import { seconds } from '../time.js'
import type { Nudge } from './nudges.js'
import type { OnChange } from './telling.js'

/** How often a process sends a nudge, even an empty one, so that others notice if it was killed before it could send one. */
export const heartbeat = seconds(5)
/** In milliseconds. Changes noted within this time, for example a removal and its tombstone, are sent in one nudge. */
const gathering = 20
/** The minimum time between two nudges, in milliseconds, so that a busy process sends few of them. */
const spacing = 180
const retryEvery = seconds(1)
const closePatience = seconds(1)
/** How long after the database responds again an earlier write may still take effect. */
const lateEffect = seconds(3)
/** More users than a process notes between two nudges, unless the database was unavailable. */
const mostUsers = 50_000

type Nudges = Data['nudges']

/** Sends nudges about users whose lists this process has changed. */
export class Nudger {
  readonly from = randomBytes(9).toString('base64url')
  /** Called at once, for the streams of this process: plugins/live.ts sets it. */
  onNote: (users: number[]) => void = () => undefined
  private readonly pending = new Set<number>()
  /** Users whose lists may still be changed by a write that was abandoned. */
  private readonly doubtful = new Set<number>()
  private readonly closing = new AbortController()
  private sending: Promise<void> | undefined
  private heart: NodeJS.Timeout | undefined
  private seq = 0
  /** Sent again, unchanged, until the database confirms it: others may have read it, and read no sequence number twice. */
  private unsent: Nudge | undefined

  constructor(private readonly nudges: Nudges) {}

  /** Notes users whose lists this process may have changed. */
  readonly onChange: OnChange = (users, isInDoubt) => {
    this.note(users)
    if (isInDoubt) void this.noteAgain(users)
  }

  /** Without users, sends what is pending, if anything, and shows that this process is alive. */
  readonly note = (users: number[]) => {
    for (const user of users) this.pending.add(user)
    this.sending ??= this.sendPending().finally(() => {
      this.sending = undefined
    })
    this.onNote(users)
  }

  /** Notes users once more, because a write whose response was lost may take effect after the database responds again. */
  private async noteAgain(users: number[]) {
    const isWaiting = this.doubtful.size > 0
    for (const user of users) this.doubtful.add(user)
    if (isWaiting) return
    await this.sending
    await this.pause(lateEffect)
    const all = [...this.doubtful]
    this.doubtful.clear()
    this.note(all)
  }

  /**
   * Starts the heartbeat, by which others notice if the process is killed. A command needs none, because it is run again if it was killed.
   */
  beat() {
    this.heart = setInterval(this.note, heartbeat, []).unref()
    this.note([])
  }

  /** Sends what is pending. Gives up if the database is unavailable: others notice the missing heartbeat. */
  async close() {
    clearInterval(this.heart)
    this.closing.abort()
    const sendAll = async () => {
      await this.sending
      if (this.seq === 0 && this.pending.size === 0) return
      while (this.unsent || this.pending.size > mostUsers) await this.send()
      await this.send(true)
    }
    await Promise.race([sendAll().catch(() => undefined), sleep(closePatience, undefined, { ref: false })])
  }

  private pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: this.closing.signal, ref: false }).catch(() => undefined)

  private async sendPending() {
    do {
      await this.pause(gathering)
      while (
        !this.closing.signal.aborted &&
        !(await this.send().then(
          () => true,
          () => false
        ))
      )
        await this.pause(retryEvery)
      await this.pause(spacing)
    } while (this.pending.size > 0 && !this.closing.signal.aborted)
  }

  private async send(isLast = false) {
    if (!this.unsent) {
      const users = [...this.pending].slice(0, mostUsers)
      for (const user of users) this.pending.delete(user)
      this.unsent = { from: this.from, seq: this.seq++, users, isLast }
    }
    await this.nudges.send(this.unsent)
    this.unsent = undefined
  }
}

/** A process from which nothing was read for this long, although nudges could be read, was killed. */
const deadAfter = 3 * heartbeat
/** How far back the first reading starts, to find all live processes. */
const firstReach = deadAfter - heartbeat / 2
/** If a reading took longer than this, or none succeeded, other processes may have been alive without being noticed. */
const interruption = seconds(2)

interface Sender {
  seq: number
  /** When a nudge from it was last read, by `performance.now()`. */
  readAt: number
  hasEnded: boolean
}

/** Reads the nudges of the other processes. */
export class NudgeReader {
  private readonly senders = new Map<string, Sender>()
  private newest: Date | undefined
  private readAt = 0

  constructor(
    private readonly nudges: Nudges,
    private readonly own: string
  ) {}

  /** The users that were nudged since the last reading, or everybody: the first time, and if a nudge may have been missed. */
  async read(now = performance.now()): Promise<number[] | 'everybody'> {
    const isFirst = this.newest === undefined
    const nudges = await this.nudges.since(this.newest ?? firstReach)
    if (now - this.readAt > interruption) for (const sender of this.senders.values()) sender.readAt = now
    this.readAt = now
    this.newest = nudges.at(-1)?.at ?? this.newest ?? new Date(0)

    const { users, isMissed } = this.take(nudges, now)
    const wasKilled = this.forgetDead(now)
    return isFirst || isMissed || wasKilled ? 'everybody' : users
  }

  /** Returns the users in new nudges, and whether an earlier nudge was missed. */
  private take(nudges: Nudge[], now: number) {
    const users = new Set<number>()
    let isMissed = false
    for (const { from, seq, users: nudged, isLast } of nudges) {
      const last = this.senders.get(from)?.seq ?? -1
      if (from === this.own || seq <= last) continue
      isMissed ||= seq > last + 1
      for (const user of nudged) users.add(user)
      this.senders.set(from, { seq, readAt: now, hasEnded: isLast })
    }
    return { users: [...users], isMissed }
  }

  /** Returns whether a process has died without a last nudge. */
  private forgetDead(now: number) {
    const dead = [...this.senders].filter(([, { readAt }]) => now - readAt >= deadAfter)
    for (const [from] of dead) this.senders.delete(from)
    return dead.some(([, { hasEnded }]) => !hasEnded)
  }
}
