import type { Clock } from './clock.js'
import { signedOut, ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { User } from './session.js'
import type { Store } from './store.js'

/** The position of the player. */
export interface Report {
  content_id: number
  /** Seconds from the start. */
  time?: number
  /** From 0 to 100. */
  percentage?: number
}

/** A report that the service has not acknowledged yet. */
export interface KeptReport extends Report {
  user_id: number
  /** Milliseconds, by the clock of this device. */
  observed: number
}

export interface Outcome {
  /** A `kept` report is sent later, a `refused` one never. */
  state: 'sent' | 'kept' | 'refused'
  /** Why it was not sent. */
  error?: ViewerError | undefined
}

/** Reports kept, one per content item. Beyond that, the oldest is dropped. */
const mostKept = 200
/** A report younger than this is sent without a time: it gets its arrival time. */
const live = 2000
const longestWait = 60_000

interface Options {
  store: Store
  clock: Clock
  exclusively: Exclusively
  reporter: () => Promise<User | undefined>
  post: (report: Report & { observed_at?: string }) => Promise<unknown>
  /** Sends any request, to learn the time of the service. */
  askTheTime: () => Promise<unknown>
}

interface Browser {
  addEventListener?: (type: 'online', listener: () => void) => void
  removeEventListener?: (type: 'online', listener: () => void) => void
}
const browser = globalThis as Browser

const isOf = (user: User | undefined) => (report: KeptReport) => report.user_id === user?.id
const isSameContent = (one: KeptReport, other: KeptReport) => one.user_id === other.user_id && one.content_id === other.content_id

/** Every report stays in the store until the service has it, so it survives being offline, a crash and a closed page. */
export const createReports = ({ store, clock, exclusively, reporter, post, askTheTime }: Options) => {
  let waiting: { report: KeptReport; resolve: (outcome: Outcome) => void }[] = []
  let lastObserved = 0
  let failures = 0
  let lastFailure: ViewerError | undefined
  let notBefore = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const kept = async () => (await store.load('reports')) ?? []
  const edit = (change: (reports: KeptReport[]) => KeptReport[]) =>
    exclusively('reports', async () => store.save('reports', change(await kept())))

  const keep = (report: KeptReport) =>
    edit(reports => {
      const older = reports.find(other => isSameContent(other, report))
      return [...reports.filter(other => other !== older), { ...older, ...report }].slice(-mostKept)
    })
  /** Keeps a newer report that has taken its place. */
  const remove = (report: KeptReport) =>
    edit(reports => reports.filter(other => !isSameContent(other, report) || other.observed > report.observed))

  const settle = (isMeant: (report: KeptReport) => boolean, outcome: Outcome) => {
    for (const { report, resolve } of waiting) if (isMeant(report)) resolve(outcome)
    waiting = waiting.filter(({ report }) => !isMeant(report))
  }

  const send = async ({ user_id, observed, ...report }: KeptReport) => {
    const age = Date.now() - observed
    if (age >= 0 && age < live) return post(report)
    if (!clock.isKnown()) await askTheTime()
    return post({ ...report, observed_at: clock.serviceTime(observed) })
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

  /** Sends kept reports, oldest first, until none are left or there is a reason to wait. */
  const deliver = () =>
    exclusively('delivery', async () => {
      while (Date.now() >= notBefore) {
        const report = (await kept()).find(isOf(await reporter()))
        if (!report) break
        const isDone = (other: KeptReport) => isSameContent(other, report) && other.observed <= report.observed
        try {
          await send(report)
          failures = 0
          lastFailure = undefined
          await remove(report)
          settle(isDone, { state: 'sent' })
        } catch (error) {
          if (!(error instanceof ViewerError)) throw error
          if (error.kind === 'refused') {
            await remove(report)
            settle(isDone, { state: 'refused', error })
          } else {
            lastFailure = error
            // Waiting does not help. The next sign-in sends them.
            if (error.status === 401) break
            waitAfter(error)
          }
        }
      }
    })

  const deliverAtOnce = () => {
    // Coming online ends the wait, unless the service asked for it.
    if (lastFailure?.retryAfter === undefined) notBefore = 0
    failures = 0
    return deliver()
  }
  const onOnline = () => void deliverAtOnce()
  browser.addEventListener?.('online', onOnline)

  return {
    report: async (given: Report): Promise<Outcome> => {
      const user = await reporter()
      if (!user) return { state: 'refused', error: signedOut() }
      lastObserved = Math.max(Date.now(), lastObserved + 1)
      const report = { ...given, user_id: user.id, observed: lastObserved }
      await keep(report)
      const outcome = new Promise<Outcome>(resolve => waiting.push({ report, resolve }))
      await deliver()
      settle(other => other === report, { state: 'kept', error: lastFailure })
      return outcome
    },
    deliverAtOnce,
    /** Drops what the user has not sent yet. */
    forget: async () => {
      const isMine = isOf(await reporter())
      await edit(reports => reports.filter(report => !isMine(report)))
    },
    unsent: async () => (await kept()).filter(isOf(await reporter())).length,
    close: () => {
      clearTimeout(timer)
      browser.removeEventListener?.('online', onOnline)
    }
  }
}
