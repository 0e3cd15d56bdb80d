import type { ServerResponse } from 'node:http'
import type { Audience } from '../catalogue/audience.js'
import type { Viewer } from '../identity/tokens.js'
import { seconds } from '../time.js'

/** Why a stream ended: the access token or session ended, the process is stopping, the caller reads too slowly, or has disconnected. */
export type StreamEnd = 'token' | 'session' | 'drain' | 'slow' | 'caller'

export const streamEnds: StreamEnd[] = ['token', 'session', 'drain', 'slow', 'caller']

/** In bytes. A stream ends if more than this is waiting for its caller. */
const mostUnread = 1024 * 1024
/** In bytes, for all streams of a process. */
const mostUnreadOfAll = 32 * 1024 * 1024
/** How long a caller may take to read the last event before it is cut off. */
const endPatience = seconds(10)
/** Shorter than the 20 seconds that callers are promised. */
const commentEvery = seconds(18)
/** About how many milliseconds after a drain callers should reconnect. */
const returnAfter = 1000

const event = (name: string, ...lines: string[]) => `event: ${name}\n${lines.join('\n')}\n\n`

/** How much is waiting for the callers of all streams. A stream that has ended counts until its connection closes. */
export class Unread {
  /** An upper bound on what is waiting, because callers have read since. */
  private sum = 0
  private readonly streams = new Map<LiveStream, number>()

  /**
   * Call it after a write. If too much is waiting, cuts off callers who have not read the end of their stream, then ends the streams with
   * the most unread.
   */
  update(stream: LiveStream) {
    this.count(stream)
    if (this.sum <= mostUnreadOfAll) return
    for (const stream of this.streams.keys()) this.count(stream)
    let left = this.sum
    if (left <= mostUnreadOfAll) return
    const byUnread = [...this.streams].sort(([a, one], [b, other]) => Number(b.hasEnded) - Number(a.hasEnded) || other - one)
    for (const [stream, unread] of byUnread) {
      if (left <= mostUnreadOfAll) return
      left -= unread
      if (stream.hasEnded) stream.destroy()
      else stream.end('slow')
    }
  }

  remove(stream: LiveStream) {
    this.sum -= this.streams.get(stream) ?? 0
    this.streams.delete(stream)
  }

  private count(stream: LiveStream) {
    this.sum += stream.unread - (this.streams.get(stream) ?? 0)
    this.streams.set(stream, stream.unread)
  }
}

interface StreamOptions {
  viewer: Viewer
  audience: Audience
  out: ServerResponse
  unread: Unread
  /** Called once. */
  onEnd: (reason: StreamEnd) => void
}

/** A stream of changes to one caller. */
export class LiveStream {
  viewer: Viewer
  audience: Audience
  hasEnded = false
  private readonly out: ServerResponse
  private readonly unreadOfAll: Unread
  private readonly onEnd: (reason: StreamEnd) => void
  private commentAt: number
  private onDrained: (() => void) | undefined

  constructor({ viewer, audience, out, unread, onEnd }: StreamOptions) {
    this.viewer = viewer
    this.audience = audience
    this.out = out
    this.unreadOfAll = unread
    this.onEnd = onEnd
    // Spreads the comments of streams that began together.
    this.commentAt = performance.now() + Math.random() * commentEvery
    out.on('drain', () => this.onDrained?.())
    out.once('close', () => {
      this.unreadOfAll.remove(this)
      this.finish('caller')
    })
  }

  /** In bytes. */
  get unread() {
    return this.out.writableLength
  }

  ready(cursor: string) {
    this.write(event('ready', `id: ${cursor}`, 'data: {}'))
  }

  /** Ends the stream if too much is then waiting for the caller. */
  send(cursor: string, data: string) {
    this.write(event('changes', `id: ${cursor}`, `data: ${data}`))
  }

  commentIfDue(now: number) {
    if (now < this.commentAt) return
    this.commentAt = now + commentEvery
    this.write(':\n\n')
  }

  /** Resolves when the caller has read all that was written, or has disconnected. */
  async drained() {
    if (!this.out.writableNeedDrain) return
    await new Promise<void>(resolve => {
      this.onDrained = resolve
    })
  }

  end(reason: StreamEnd) {
    if (this.hasEnded) return
    this.finish(reason)
    const { out } = this
    const retry = reason === 'drain' ? [`retry: ${Math.round(returnAfter * (0.5 + Math.random()))}`] : []
    out.end(event('end', ...retry, `data: ${JSON.stringify({ reason })}`))
    const cut = setTimeout(() => this.destroy(), endPatience).unref()
    out.once('close', () => clearTimeout(cut))
  }

  /** Closes the connection without an event. The caller will reconnect. */
  destroy() {
    // Destroying the response would wait for its turn.
    this.out.req.socket.destroy()
    this.unreadOfAll.remove(this)
  }

  private write(text: string) {
    if (this.hasEnded) return
    this.out.write(text)
    if (this.unread > mostUnread) this.end('slow')
    this.unreadOfAll.update(this)
  }

  private finish(reason: StreamEnd) {
    if (this.hasEnded) return
    this.hasEnded = true
    this.onDrained?.()
    this.onEnd(reason)
  }
}
