import type { ServerResponse } from 'node:http'
import type { Audience } from '../catalogue/audience.js'
import type { Viewer } from '../identity/tokens.js'
import { seconds } from '../time.js'

/** Why a stream ended: the access token or the session did, the process stops, the caller reads too slowly, or the caller has left. */
export type StreamEnd = 'token' | 'session' | 'drain' | 'slow' | 'caller'

export const streamEnds: StreamEnd[] = ['token', 'session', 'drain', 'slow', 'caller']

/** In bytes. With more than this waiting for the caller, a stream ends. */
const mostUnread = 1024 * 1024
/** A caller who has not read the end by then is cut off. */
const endPatience = seconds(10)
/** Shorter than the 20 seconds that callers are promised. */
const commentEvery = seconds(18)
/** When callers should come back after a drain: about this many milliseconds later. */
const returnAfter = 1000

const event = (name: string, ...lines: string[]) => `event: ${name}\n${lines.join('\n')}\n\n`

interface StreamOptions {
  viewer: Viewer
  audience: Audience
  out: ServerResponse
  /** Called once. */
  onEnd: (reason: StreamEnd) => void
}

/** A stream of changes to one caller. */
export class LiveStream {
  viewer: Viewer
  audience: Audience
  hasEnded = false
  private readonly out: ServerResponse
  private readonly onEnd: (reason: StreamEnd) => void
  private commentAt: number
  private onDrained: (() => void) | undefined

  constructor({ viewer, audience, out, onEnd }: StreamOptions) {
    this.viewer = viewer
    this.audience = audience
    this.out = out
    this.onEnd = onEnd
    // Streams that began at once do not get their comments at once.
    this.commentAt = performance.now() + Math.random() * commentEvery
    out.on('drain', () => this.onDrained?.()).once('close', () => this.finish('caller'))
  }

  ready(cursor: string) {
    this.write(event('ready', `id: ${cursor}`, 'data: {}'))
  }

  /** Ends the stream if too much waits for the caller then. */
  send(cursor: string, data: string) {
    this.write(event('changes', `id: ${cursor}`, `data: ${data}`))
  }

  commentIfDue(now: number) {
    if (now < this.commentAt) return
    this.commentAt = now + commentEvery
    this.write(':\n\n')
  }

  /** Resolves when the caller has read all that was written, or has left. */
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

  /** Closes the connection without a word. The caller comes back. */
  destroy() {
    // Destroying the response would wait for its turn.
    this.out.req.socket.destroy()
  }

  private write(text: string) {
    if (this.hasEnded) return
    this.out.write(text)
    if (this.out.writableLength > mostUnread) this.end('slow')
  }

  private finish(reason: StreamEnd) {
    if (this.hasEnded) return
    this.hasEnded = true
    this.onDrained?.()
    this.onEnd(reason)
  }
}
