import { contentPath } from './calls.js'
import type { Clock } from './clock.js'
import { signedOut, ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { User } from './keeper.js'
import type { Store } from './store.js'
import {
  createUnsent,
  isAnswered,
  type Kept,
  type KeptReport,
  type PreferencesChange,
  type Rating,
  type Refusal,
  type Report
} from './unsent.js'
import type { UserCalls } from './user-calls.js'

export interface Outcome {
  /** If `kept`, it is sent later; if `refused`, never. */
  state: 'sent' | 'kept' | 'refused'
  /** Why it was not sent. */
  error?: ViewerError | undefined
}

/** The maximum that the service accepts in one request. */
const mostAtOnce = 200
/** A report younger than this is sent without a time, and gets the time of its arrival. */
const live = 2000
const longestWait = 60_000

interface Options {
  store: Store
  clock: Clock
  exclusively: Exclusively
  reporter: () => Promise<User | undefined>
  callsOf: UserCalls['callsOf']
  /** Called with items that the service has acknowledged. */
  onSent: (sent: Kept[]) => Promise<void> | undefined
  /** Sends any request, to learn the time of the service. */
  askTheTime: () => Promise<unknown>
}

interface Browser {
  addEventListener?: (type: 'online', listener: () => void) => void
  removeEventListener?: (type: 'online', listener: () => void) => void
}
const browser = globalThis as Browser

type Omitted<K, Fields extends string> = K extends Kept ? Omit<K, Fields> : never
/** An item to be kept, before its user is known. */
type Given = Omitted<Kept, 'user_id' | 'observed'>

/** Makes the browser send a request even if the page is closed. */
const keepalive = true

/** Reports are sent together, then everything else one by one, oldest first. */
type Reports = [KeptReport, ...KeptReport[]]
type Batch = Reports | [Kept]
const isMany = (batch: Batch): batch is Reports => batch.length > 1

const nextOf = (all: Kept[], atOnce: number): Batch | undefined => {
  const [report, ...others] = all.filter(kept => kept.kind === 'report').slice(0, atOnce)
  if (report) return [report, ...others]
  const [first] = all
  return first && [first]
}

/** How many to send at once after so many have failed, or undefined if their number is not the reason. */
const fewerAfter = ({ kind, status }: ViewerError, sent: number) => {
  // An older service accepts only one at a time.
  if (kind === 'refused') return 1
  // The connection may be too slow for that many.
  if (status === 408 && sent > 1) return Math.ceil(sent / 2)
  return undefined
}

/** Sends a batch, and resolves with the items that the service has refused. */
const createSender = ({ clock, callsOf, askTheTime }: Pick<Options, 'clock' | 'callsOf' | 'askTheTime'>) => {
  /** The last report that was sent without a time, and when its response arrived. */
  let undated: { content_id: number; observed: number; answered: number } | undefined

  /** A report without a time gets the time of its arrival, so a later report must not be dated before that, or it would not count. */
  const momentOf = ({ content_id, observed }: KeptReport) =>
    undated?.content_id === content_id && undated.observed < observed ? Math.max(observed, undated.answered) : observed

  const bodyOf = async (kept: KeptReport): Promise<Report & { observed_at?: string }> => {
    const { kind: _, user_id: __, observed: ___, ...report } = kept
    const moment = momentOf(kept)
    // A report may be dated slightly in the future, because reports of the same millisecond get consecutive times. It is also sent without
    // its time, which the service would replace with that of its arrival.
    if (Date.now() - moment < live) return report
    if (!clock.isKnown()) await askTheTime()
    return { ...report, observed_at: clock.serviceTime(moment) }
  }

  const sendReports = async <T>(kept: KeptReport[], post: (bodies: Report[]) => Promise<T>) => {
    const bodies: Report[] = []
    let last: KeptReport | undefined
    for (const report of kept) {
      const body = await bodyOf(report)
      if (!body.observed_at) last = report
      bodies.push(body)
    }
    try {
      return await post(bodies)
    } finally {
      // It may have arrived even without a response.
      if (last) undated = { content_id: last.content_id, observed: last.observed, answered: Date.now() }
    }
  }

  const sendRating = async (owner: number, content_id: number, rating: Rating | null) => {
    const path = { params: contentPath(content_id), keepalive }
    if (rating !== null) return callsOf(owner).put('/ratings/{contentId}', { ...path, body: { rating } })
    return callsOf(owner)
      .delete('/ratings/{contentId}', path)
      .catch(error => {
        // It was removed elsewhere, or never existed.
        if (!(error instanceof ViewerError) || error.status !== 404) throw error
      })
  }
  const sendPreferences = (owner: number, content_id: number | null, body: PreferencesChange) =>
    content_id === null
      ? callsOf(owner).put('/preferences', { body, keepalive })
      : callsOf(owner).put('/preferences/{contentId}', { params: contentPath(content_id), body, keepalive })

  const send = async (kept: Kept) => {
    switch (kept.kind) {
      case 'report':
        return sendReports([kept], ([body]) => callsOf(kept.user_id).post('/history', { body: body as Report, keepalive }))
      case 'rating':
        return sendRating(kept.user_id, kept.content_id, kept.rating)
      case 'preferences': {
        const { kind: _, user_id, observed: __, content_id, ...body } = kept
        return sendPreferences(user_id, content_id, body)
      }
    }
  }

  const sendOne = async (kept: Kept): Promise<Refusal[]> => {
    try {
      await send(kept)
      return []
    } catch (error) {
      if (error instanceof ViewerError && error.kind === 'refused') return [{ kept, error }]
      throw error
    }
  }
  const sendMany = async (kept: Reports): Promise<Refusal[]> => {
    const { refused } = await sendReports(kept, reports =>
      callsOf(kept[0].user_id).post('/history/batch', { body: { reports }, keepalive })
    )
    return refused.map(({ index, code, message }) => ({
      kept: kept[index] as KeptReport,
      error: new ViewerError('refused', message, { code })
    }))
  }

  return (batch: Batch) => (isMany(batch) ? sendMany(batch) : sendOne(batch[0]))
}

/**
 * Reports, ratings and preferences stay in the store until the service has them, so they survive being offline, a crash and a closed page.
 */
export const createOutbox = ({ store, exclusively, reporter, onSent, ...service }: Options) => {
  const unsent = createUnsent(store, exclusively)
  const send = createSender(service)
  let waiting: { kept: Kept; resolve: (outcome: Outcome) => void }[] = []
  let lastObserved = 0
  let failures = 0
  let lastFailure: ViewerError | undefined
  let notBefore = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const settle = (isMeant: (kept: Kept) => boolean, outcome: Outcome) => {
    for (const { kept, resolve } of waiting) if (isMeant(kept)) resolve(outcome)
    waiting = waiting.filter(({ kept }) => !isMeant(kept))
  }

  const takeOut = async (sent: Kept[], refusals: Refusal[]) => {
    // If this is interrupted, they will be sent and refused once more.
    for (const refusal of refusals) await unsent.addRefused(refusal)
    await onSent(sent.filter(kept => !refusals.some(refusal => refusal.kept === kept)))
    await unsent.remove(sent)
    for (const kept of sent) {
      const error = refusals.find(refusal => refusal.kept === kept)?.error
      settle(other => isAnswered(other, kept), error ? { state: 'refused', error } : { state: 'sent' })
    }
  }

  const waitAfter = ({ retryAfter }: ViewerError) => {
    failures += 1
    // Randomized, so that devices that were offline together do not all send at once.
    const wait = retryAfter !== undefined ? retryAfter * 1000 : Math.min(longestWait, 1000 * 2 ** failures) * (0.5 + Math.random() / 2)
    notBefore = Date.now() + wait
    clearTimeout(timer)
    timer = setTimeout(() => {
      // A timer may fire slightly early.
      notBefore = 0
      void deliver()
    }, wait)
    // In Node.js, the timer must not keep the process alive.
    ;(timer as { unref?: () => void }).unref?.()
  }

  const ofUser = async () => {
    const user = await reporter()
    return user ? unsent.of(user.id) : []
  }

  /** Resolves with the error if it could not be sent. */
  const deliverBatch = async (batch: Batch) => {
    try {
      const refusals = await send(batch)
      failures = 0
      lastFailure = undefined
      await takeOut(batch, refusals)
      return undefined
    } catch (error) {
      if (error instanceof ViewerError) return error
      throw error
    }
  }

  /** Sends one batch after the other, until nothing is left or there is a reason to wait. */
  const deliverInTurn = async () => {
    let atOnce = mostAtOnce
    while (Date.now() >= notBefore) {
      const batch = nextOf(await ofUser(), atOnce)
      if (!batch) return
      const error = await deliverBatch(batch)
      if (!error) continue
      const fewer = fewerAfter(error, batch.length)
      if (fewer) {
        atOnce = fewer
        continue
      }
      lastFailure = error
      // Waiting does not help. They are sent after the next sign-in.
      if (error.status === 401) return
      waitAfter(error)
    }
  }
  const deliver = () => exclusively('delivery', deliverInTurn)

  const deliverAtOnce = () => {
    // Being online again ends the wait, unless the service asked for it.
    if (lastFailure?.retryAfter === undefined) notBefore = 0
    failures = 0
    return deliver()
  }
  const onOnline = () => void deliverAtOnce()
  browser.addEventListener?.('online', onOnline)

  /** Stores an item, and sends it if possible. Does not throw if there is no connection. */
  const put = async (given: Given): Promise<Outcome> => {
    const user = await reporter()
    if (!user) return { state: 'refused', error: signedOut() }
    lastObserved = Math.max(Date.now(), lastObserved + 1)
    const kept = { ...given, user_id: user.id, observed: lastObserved }
    await unsent.add(kept)
    const outcome = new Promise<Outcome>(resolve => waiting.push({ kept, resolve }))
    await deliver()
    settle(other => other === kept, { state: 'kept', error: lastFailure })
    return outcome
  }

  return {
    put,
    unsentOf: unsent.of,
    deliverAtOnce,
    /** Drops the user's unsent and refused items. */
    forget: async (user_id: number) => {
      await unsent.drop(user_id)
      await unsent.dropRefused(user_id)
    },
    count: async () => (await ofUser()).length,
    refused: async () => {
      const user = await reporter()
      return user ? unsent.refusedOf(user.id) : []
    },
    dropRefused: async () => {
      const user = await reporter()
      if (user) await unsent.dropRefused(user.id)
    },
    close: () => {
      clearTimeout(timer)
      browser.removeEventListener?.('online', onOnline)
    }
  }
}
export type Outbox = ReturnType<typeof createOutbox>
