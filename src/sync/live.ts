import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Changes } from '../../schemas/changes.js'
import type { Audience } from '../catalogue/audience.js'
import type { Viewer } from '../identity/tokens.js'
import { isAway } from '../overload/outage.js'
import { CallerCounts, Semaphore } from '../overload/semaphore.js'
import { seconds } from '../time.js'
import { olderCursor, resettingCursor } from './change-cursor.js'
import { LiveStream, type StreamEnd, Unread } from './live-stream.js'
import { SentChanges } from './sent-changes.js'

const sweepEvery = seconds(0.5)
const retryEvery = seconds(1)
/** Between the ends of streams in a drain, in milliseconds. */
const drainStep = 20
/** How many reads of streams may wait for or use the database at once. The other connections are for viewers who wait for a response. */
const readsAtOnce = 4

/** Whose changes are read. */
interface Reader {
  viewer: Viewer
  audience: Audience
}

interface Options {
  /** Reads as GET /changes does. */
  read: (reader: Reader, since: string, hasNews: boolean) => Promise<Changes>
  /** The viewer with the current age limit, or null if the token is no longer accepted. */
  recheck: (viewer: Viewer) => Viewer | null
  onEnd: (reason: StreamEnd) => void
  onFault: (error: unknown) => void
}

export class LiveStreams {
  isClosed = false
  private readonly streams = new Set<LiveStream>()
  private readonly unread = new Unread()
  private readonly accounts = new CallerCounts()
  /** By profile, with an entry per age limit: for a moment after a change, there may be two. */
  private readonly followers = new Map<number, Followers[]>()
  /** The followers that remember what they have sent. */
  private readonly remembering = new Set<Followers>()
  /** One read at a time per account, because they wait for its other requests. */
  private readonly reads = new Semaphore(readsAtOnce, 1)
  private readonly sweeping = setInterval(() => this.sweep(), sweepEvery).unref()

  constructor(private readonly options: Options) {}

  get size() {
    return this.streams.size
  }

  countOf(account: number) {
    return this.accounts.of(account)
  }

  /** Follows the changes from the cursor on. `known` are the only changes since the cursor, if given. */
  begin({ viewer, audience }: Reader, out: ServerResponse, cursor: string, known?: SentChanges) {
    const stream = new LiveStream({ viewer, audience, out, unread: this.unread, onEnd: reason => this.remove(stream, reason) })
    this.streams.add(stream)
    this.accounts.add(viewer.account)
    stream.ready(cursor)
    if (!known) return void this.catchUp(stream, cursor)
    const followers = this.followersWith(stream)
    followers.streams.set(stream, { cursor, sent: known })
    void this.look(followers)
  }

  /** Looks for changes in the lists of these users. */
  readonly nudge = (users: number[] | 'everybody') => {
    if (this.size === 0) return
    const nudged = users === 'everybody' ? [...this.followers.values()] : users.map(user => this.followers.get(user) ?? [])
    for (const followers of nudged.flat()) void this.look(followers, users !== 'everybody')
  }

  /** Ends the streams one after the other within this time. Streams that begin meanwhile stay open until `close`. */
  async drain(milliseconds: number) {
    const ending = [...this.streams]
    const began = performance.now()
    for (let ended = 0; ended < ending.length; await sleep(drainStep)) {
      const due = Math.ceil(ending.length * Math.min(1, (performance.now() - began) / milliseconds))
      for (; ended < due; ended++) ending[ended]?.end('drain')
    }
  }

  close() {
    this.isClosed = true
    clearInterval(this.sweeping)
    for (const stream of this.streams) stream.end('drain')
  }

  /** Ends the streams whose token or session has ended, and sends the comments that are due. */
  sweep(now = performance.now()) {
    const time = Date.now() / 1000
    for (const stream of this.streams) {
      const { viewer, audience } = stream
      const current = this.options.recheck(viewer)
      if (time >= (viewer.expiresAt as number)) stream.end('token')
      else if (!current) stream.end('session')
      else if (current.maxAge === audience.maxAge) stream.commentIfDue(now)
      else {
        this.leave(stream)
        // Stored, because `recheck` forgets a change once no token can be older than it.
        stream.viewer = current
        stream.audience = { ...audience, maxAge: current.maxAge }
        void this.catchUp(stream, resettingCursor(viewer.id))
      }
    }
    for (const followers of this.remembering) if (followers.forgetOld(now)) this.remembering.delete(followers)
  }

  private remove(stream: LiveStream, reason: StreamEnd) {
    this.streams.delete(stream)
    this.accounts.remove(stream.viewer.account)
    this.leave(stream)
    this.options.onEnd(reason)
  }

  /** Sends what has changed since the cursor, as fast as the caller reads it. */
  private async catchUp(stream: LiveStream, from: string) {
    const followers = this.followersWith(stream)
    followers.streams.set(stream, 'behind')
    const sent = new SentChanges()
    const { viewer, audience } = stream
    const isWanted = () => followers.streams.has(stream)
    let cursor = from
    let seen = 0
    const onRead = () => {
      seen = followers.nudges
    }
    try {
      for await (const page of this.pagesFrom(cursor, { reader: { viewer, audience }, isWanted, onRead })) {
        cursor = page.cursor
        const data = sent.unsentIn(page)
        if (data) stream.send(cursor, data)
        await stream.drained()
      }
      if (!isWanted()) return
      followers.streams.set(stream, { cursor, sent })
      this.remembering.add(followers)
      if (followers.nudges > seen) void this.look(followers)
    } catch (error) {
      this.options.onFault(error)
      stream.destroy()
    }
  }

  private followersWith({ viewer, audience }: LiveStream) {
    const ofProfile = this.followers.get(viewer.id) ?? []
    const known = ofProfile.find(({ reader }) => reader.audience.maxAge === audience.maxAge)
    if (known) return known
    const followers = new Followers({ viewer, audience })
    this.followers.set(viewer.id, [...ofProfile, followers])
    return followers
  }

  private leave(stream: LiveStream) {
    const { id } = stream.viewer
    const left: Followers[] = []
    for (const followers of this.followers.get(id) as Followers[]) {
      followers.streams.delete(stream)
      if (followers.streams.size > 0) left.push(followers)
      else this.remembering.delete(followers)
    }
    if (left.length > 0) this.followers.set(id, left)
    else this.followers.delete(id)
  }

  /** Sends what has changed to all followers. */
  private async look(followers: Followers, hasNews = false) {
    followers.nudges++
    followers.isDue = true
    followers.hasNews ||= hasNews
    if (followers.isLooking) return
    followers.isLooking = true
    const isWanted = () => followers.isFollowed
    try {
      while (followers.isDue && isWanted()) {
        const { reader, hasNews } = followers
        followers.isDue = false
        followers.hasNews = false
        followers.admit()
        for await (const page of this.pagesFrom(followers.cursor, { reader, isWanted, hasNews })) followers.send(page)
        this.remembering.add(followers)
      }
    } catch (error) {
      this.options.onFault(error)
      followers.destroy()
    } finally {
      followers.isLooking = false
    }
  }

  /** The pages from a cursor on, as long as they are wanted. Retries while the database is unavailable. */
  private async *pagesFrom(cursor: string, { reader, isWanted, hasNews = false, onRead }: Pages) {
    for (let since = cursor, more = true; more && isWanted(); ) {
      onRead?.()
      try {
        const page = await this.reads.run(() => this.options.read(reader, since, hasNews), reader.viewer.account)
        if (!isWanted()) return
        yield page
        since = page.cursor
        more = page.more
      } catch (error) {
        if (!isAway(error)) throw error
        await sleep(retryEvery, undefined, { ref: false })
      }
    }
  }
}

interface Pages {
  reader: Reader
  isWanted: () => boolean
  hasNews?: boolean
  onRead?: () => void
}

/** The streams of one profile. Those that have read everything share a cursor, so that each change is read only once. */
class Followers {
  /** How often there was something to look for. */
  nudges = 0
  isDue = false
  /** Whether something has certainly changed. */
  hasNews = false
  isLooking = false
  cursor = ''
  sent = new SentChanges()
  /**
   * Streams that follow, streams that will after the next look, with what they have read so far, and streams that are still catching up.
   */
  readonly streams = new Map<LiveStream, 'following' | { cursor: string; sent: SentChanges } | 'behind'>()

  constructor(readonly reader: Reader) {}

  get isFollowed() {
    for (const state of this.streams.values()) if (state !== 'behind') return true
    return false
  }

  admit() {
    let isFirst = ![...this.streams.values()].includes('following')
    for (const [stream, state] of this.streams) {
      if (typeof state === 'string') continue
      this.cursor = isFirst ? state.cursor : olderCursor(state.cursor, this.cursor)
      if (isFirst) this.sent = state.sent
      else this.sent.keepCommon(state.sent)
      this.streams.set(stream, 'following')
      isFirst = false
    }
  }

  send(page: Changes) {
    this.cursor = page.cursor
    const data = this.sent.unsentIn(page)
    if (data) for (const [stream, state] of this.streams) if (state === 'following') stream.send(page.cursor, data)
  }

  /** Forgets what was sent long ago. Returns whether nothing is left. */
  forgetOld(now: number) {
    const own = [...this.streams.values()].flatMap(state => (typeof state === 'string' ? [] : state.sent))
    return [this.sent, ...own].filter(sent => !sent.forgetOld(now)).length === 0
  }

  destroy() {
    for (const stream of this.streams.keys()) stream.destroy()
  }
}
