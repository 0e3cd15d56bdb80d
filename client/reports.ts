import type { Clock } from './clock.js'
import { signedOut, ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { User } from './session.js'
import type { Store } from './store.js'

/** Where the player is. */
export interface Report {
  content_id: number
  /** Seconds from the start. */
  time?: number
  /** From 0 to 100. */
  percentage?: number
}

/** A report that has not been acknowledged yet. */
export interface KeptReport extends Report {
  user_id: number
  /** On the clock of this device, in milliseconds. */
  observed: number
}

export interface Outcome {
  /** `kept` is sent later; `refused` never. */
  state: 'sent' | 'kept' | 'refused'
  /** Why it was not sent. */
  error?: ViewerError | undefined
}

/** Of so many contents the newest report is kept; beyond it the oldest goes. */
const mostKept = 200
/** A report that comes this soon is left to the clock of the service. */
const live = 2000
const longestWait = 60_000

interface Options {
  store: Store
  clock: Clock
  exclusively: Exclusively
  reporter: () => Promise<User | undefined>
  post: (report: Report & { observed_at?: string }) => Promise<unknown>
  /** Asks the service anything, to learn its time. */
  askTheTime: () => Promise<unknown>
}

interface Browser {
  addEventListener?: (type: 'online', listener: () => void) => void
  removeEventListener?: (type: 'online', listener: () => void) => void
}
const browser = globalThis as Browser

const isOf = (user: User | undefined) => (report: KeptReport) => report.user_id === user?.id
const isSameContent = (one: KeptReport, other: KeptReport) => one.user_id === other.user_id && one.content_id === other.content_id

/** Every report goes into the store and leaves it when the service has it: offline, a crash and a closed page are then all the same. */
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
  /** Unless a newer one has come in its place. */
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
    // Not all at one moment, where many were offline together.
    const wait = retryAfter !== undefined ? retryAfter * 1000 : Math.min(longestWait, 1000 * 2 ** failures) * (0.5 + Math.random() / 2)
    notBefore = Date.now() + wait
    clearTimeout(timer)
    timer = setTimeout(() => {
      // A timer may be a moment early.
      notBefore = 0
      void deliver()
    }, wait)
    // In Node, a process that has nothing else to do may leave.
    ;(timer as { unref?: () => void }).unref?.()
  }

  /** Sends what is kept, the oldest first, until there is no more or a reason to wait. */
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
            // A new sign-in sends them; time alone does not help.
            if (error.status === 401) break
            waitAfter(error)
          }
        }
      }
    })

  const deliverAtOnce = () => {
    // Being online ends a wait for the network, but not one that the service asked for.
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
    unsent: async () => (await kept()).filter(isOf(await reporter())).length,
    close: () => {
      clearTimeout(timer)
      browser.removeEventListener?.('online', onOnline)
    }
  }
}
