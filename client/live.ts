import type { Copy } from './copies.js'
import { errorOf, mayBeTemporary, noAnswer, signedOut, ViewerError } from './errors.js'
import type { User } from './keeper.js'
import type { components } from './schema.js'

type Changes = components['schemas']['Changes']

export interface LiveOptions {
  live: true
  /** Called with each copy after the one that `sync()` resolves with. */
  onCopy?: (copy: Copy) => void
  /** Called if following ends on its own, for example with the session. */
  onEnd?: (error: unknown) => void
  /** Ends following. */
  signal?: AbortSignal
}

interface Options {
  owner: () => Promise<User | undefined>
  read: (owner: number, signal: AbortSignal) => Promise<Copy>
  take: (owner: number, since: string, page: Changes) => Promise<Copy>
  open: (owner: number, since: string, signal: AbortSignal) => Promise<Response>
}

/** In milliseconds. The service sends something at least every 20 seconds. */
const longestSilence = 45_000
/** A stream that has not begun by then is buffered by a proxy, or by a `fetch` that waits for the end of the response. */
const patience = 10_000
const pollEvery = 15_000
/** After this time, a stream is tried again. */
const pollFor = 300_000
const longestWait = 60_000
/** A stream that breaks off sooner counts as a failure. */
const steadyAfter = 30_000
/** Statuses of services without streams, and of proxies. */
const absent = [404, 405, 406]

interface Browser {
  addEventListener?: (type: 'online', listener: () => void, options: { signal: AbortSignal }) => void
  document?: {
    visibilityState: string
    addEventListener: (type: 'visibilitychange', listener: () => void, options: { signal: AbortSignal }) => void
  }
}
const browser = globalThis as Browser
/** Hidden tabs do not follow changes, because without HTTP/2 a browser has only six connections to a service. */
const isHidden = () => browser.document?.visibilityState === 'hidden'

/** Randomized, so that devices whose streams broke off together do not all reconnect at once. */
const about = (wait: number) => wait * (0.5 + Math.random() / 2)

/** What an app sees of a copy. */
const textOf = ({ cursor: _, ...lists }: Copy) => JSON.stringify(lists)

type StreamEvent = { [Field in 'event' | 'data' | 'retry']?: string }

/** Reads lines, until the stream ends, breaks off or is aborted. */
async function* linesIn(body: ReadableStream<Uint8Array>, signal: AbortSignal, onBytes: () => void): AsyncGenerator<string> {
  const reader = body.getReader()
  const cancel = () => reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel)
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done) return
      onBytes()
      // The line feed after a carriage return may be in the next piece.
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    await cancel()
  }
}

/** Reads server-sent events, until the stream ends, breaks off or is aborted. Comments are events without fields. */
export async function* eventsIn(body: ReadableStream<Uint8Array>, signal: AbortSignal, onBytes: () => void): AsyncGenerator<StreamEvent> {
  let event: Record<string, string> = {}
  for await (const line of linesIn(body, signal, onBytes)) {
    const [, name = '', text = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name) event[name] = name === 'data' && event.data !== undefined ? `${event.data}\n${text}` : text
    if (line !== '') continue
    yield event
    event = {}
  }
}

/** The body of the response, or undefined if there are no streams. */
const bodyOf = async (opening: Promise<Response>, signal: AbortSignal) => {
  const response = await opening.catch(error => {
    if (signal.aborted) return undefined
    throw error instanceof ViewerError ? error : noAnswer(error)
  })
  if (!response || absent.includes(response.status)) return undefined
  if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined))
  return response.body
}

interface End {
  /** When it began, if it did. */
  readyAt?: number
  /** The service's reason for ending it, if it did. */
  reason?: string
  /** How long the service asks to wait before the next one. */
  retry?: number
}

/** Reads a stream until it ends, breaks off, is aborted, is silent for too long, or requires a new copy. */
const readStream = async (opening: Promise<Response>, attempt: AbortController, onPage: (page: Changes) => Promise<void>) => {
  let end: End = {}
  let heard = Date.now()
  // An interval rather than a timeout, because it soon notices how late it is after the device was asleep.
  const watch = setInterval(() => {
    if (Date.now() - heard > (end.readyAt === undefined ? patience : longestSilence)) attempt.abort()
  }, 1000)
  const onBytes = () => {
    heard = Date.now()
  }
  try {
    const body = await bodyOf(opening, attempt.signal)
    if (!body) return end
    for await (const { event, data = '{}', retry } of eventsIn(body, attempt.signal, onBytes)) {
      if (event === 'ready') end.readyAt = Date.now()
      if (event === 'end') end = { ...end, ...JSON.parse(data), retry: Math.min(longestWait, Number(retry)) }
      if (event !== 'changes' || attempt.signal.aborted) continue
      const page: Changes = JSON.parse(data)
      await onPage(page)
      if (page.reset) break
    }
    return end
  } finally {
    clearInterval(watch)
    attempt.abort()
  }
}

/** Keeps the copy up to date with the stream of changes, or by polling if there is no stream. */
const follow = async ({ read, take, open }: Options, id: number, signal: AbortSignal, tell: (copy: Copy) => void) => {
  let copy: Copy | undefined
  let isBehind = true
  let failures = 0
  let pollUntil = 0
  let interrupt = () => {}
  const onChange = () => {
    pollUntil = 0
    interrupt()
  }
  signal.addEventListener('abort', onChange)
  // After a change of network, the old connection may be silently dead, and the new one may have a stream.
  browser.addEventListener?.('online', onChange, { signal })
  browser.document?.addEventListener('visibilitychange', onChange, { signal })

  const keep = (next: Copy) => {
    copy = next
    if (!signal.aborted) tell(next)
    return next
  }
  const pause = (wait?: number, isAsked = false) =>
    new Promise<void>(resolve => {
      const timer = wait === undefined ? undefined : setTimeout(resolve, wait)
      interrupt = () => {
        if (isAsked && !signal.aborted) return
        clearTimeout(timer)
        resolve()
      }
      if (signal.aborted) interrupt()
    })
  const growingWait = () => {
    failures += 1
    return about(Math.min(longestWait, 500 * 2 ** failures))
  }

  const waitAfter = ({ readyAt, reason, retry }: End) => {
    if (readyAt === undefined) {
      pollUntil = Date.now() + pollFor
      return 0
    }
    // Polling shows whether the session has really ended.
    if (reason === 'session') isBehind = true
    if (Date.now() - readyAt > steadyAfter) failures = 0
    return reason === 'token' ? 0 : retry || growingWait()
  }

  /** Follows one stream to its end. Resolves with how long to wait before the next one. */
  const stream = async (since: string) => {
    const attempt = new AbortController()
    let isInterrupted = false
    interrupt = () => {
      isInterrupted = true
      attempt.abort()
    }
    const end = await readStream(open(id, since, attempt.signal), attempt, async page => {
      if (page.reset) isBehind = true
      else since = keep(await take(id, since, page)).cursor
    })
    return isInterrupted ? 0 : waitAfter(end)
  }

  const turn = async () => {
    const isPolling = Date.now() < pollUntil
    if (!copy || isBehind || isPolling) {
      const next = await read(id, signal)
      if (!copy || textOf(next) !== textOf(copy)) keep(next)
      copy = next
    }
    isBehind = false
    if (signal.aborted || isHidden()) return 0
    if (!isPolling) return stream(copy.cursor)
    failures = 0
    return about(pollEvery)
  }

  while (!signal.aborted) {
    try {
      await pause(copy && isHidden() ? undefined : await turn())
    } catch (error) {
      if (signal.aborted) return
      if (!mayBeTemporary(error)) throw error
      isBehind = true
      pollUntil = 0
      const { retryAfter = 0 } = error
      // If there are too many streams, the service asks to wait only for a moment.
      await pause(Math.max(growingWait(), retryAfter * 1000 + about(1000)), retryAfter > 0)
    }
  }
}

/** Follows for one caller at a time. */
export const createLive = (options: Options) => {
  let current = new AbortController()

  return {
    /** Resolves with the first copy, however long that takes. A new call replaces the previous one. */
    sync: async ({ onCopy, onEnd, signal }: LiveOptions) => {
      if (signal?.aborted) throw signal.reason
      current.abort()
      const mine = new AbortController()
      current = mine
      signal?.addEventListener('abort', () => mine.abort(signal.reason), { signal: mine.signal })
      const user = await options.owner()
      if (!user) throw signedOut()
      return new Promise<Copy>((resolve, reject) => {
        let isThere = false
        const tell = (copy: Copy) => {
          if (isThere) return onCopy?.(copy)
          isThere = true
          resolve(copy)
        }
        follow(options, user.id, mine.signal, tell)
          .then(() => reject(mine.signal.reason))
          .catch(error => {
            mine.abort()
            reject(error)
            if (isThere) onEnd?.(error)
          })
      })
    },
    stop: () => current.abort()
  }
}
