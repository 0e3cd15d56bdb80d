import type { Clock } from './clock.js'
import { signedOut, ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { User } from './keeper.js'
import { createKeptReports, isAnswered, type KeptReport, type Refusal, type Report } from './kept-reports.js'
import type { Store } from './store.js'

export interface Outcome {
  /** A `kept` report is sent later, a `refused` one never. */
  state: 'sent' | 'kept' | 'refused'
  /** Why it was not sent. */
  error?: ViewerError | undefined
}

/** What the service takes in one request. */
const mostAtOnce = 200
/** A report younger than this is sent without a time: it gets its arrival time. */
const live = 2000
const longestWait = 60_000

interface Options {
  store: Store
  clock: Clock
  exclusively: Exclusively
  reporter: () => Promise<User | undefined>
  post: (owner: number, report: Report) => Promise<unknown>
  postMany: (owner: number, reports: Report[]) => Promise<{ refused: { index: number; code: number; message: string }[] }>
  /** Sends any request, to learn the time of the service. */
  askTheTime: () => Promise<unknown>
}

interface Browser {
  addEventListener?: (type: 'online', listener: () => void) => void
  removeEventListener?: (type: 'online', listener: () => void) => void
}
const browser = globalThis as Browser

/** Every report stays in the store until the service has it, so it survives being offline, a crash and a closed page. */
export const createReports = ({ store, clock, exclusively, reporter, post, postMany, askTheTime }: Options) => {
  const kept = createKeptReports(store, exclusively)
  let waiting: { report: KeptReport; resolve: (outcome: Outcome) => void }[] = []
  let lastObserved = 0
  let failures = 0
  let lastFailure: ViewerError | undefined
  let notBefore = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const settle = (isMeant: (report: KeptReport) => boolean, outcome: Outcome) => {
    for (const { report, resolve } of waiting) if (isMeant(report)) resolve(outcome)
    waiting = waiting.filter(({ report }) => !isMeant(report))
  }

  const bodyOf = async ({ user_id, observed, ...report }: KeptReport) => {
    // A report may be dated slightly in the future, because reports of one millisecond get consecutive times. It is sent without its
    // time as well: the service would replace such a time by that of arrival.
    if (Date.now() - observed < live) return report
    if (!clock.isKnown()) await askTheTime()
    return { ...report, observed_at: clock.serviceTime(observed) }
  }

  /** Resolves with what the service has refused. */
  const sendOne = async (owner: number, report: KeptReport): Promise<Refusal[]> => {
    try {
      await post(owner, await bodyOf(report))
      return []
    } catch (error) {
      if (error instanceof ViewerError && error.kind === 'refused') return [{ report, error }]
      throw error
    }
  }
  const sendMany = async (owner: number, reports: KeptReport[]): Promise<Refusal[]> => {
    const bodies: Report[] = []
    for (const report of reports) bodies.push(await bodyOf(report))
    const { refused } = await postMany(owner, bodies)
    return refused.map(({ index, code, message }) => ({
      report: reports[index] as KeptReport,
      error: new ViewerError('refused', message, { code })
    }))
  }

  const takeOut = async (sent: KeptReport[], refusals: Refusal[]) => {
    // If this is interrupted, they are sent and refused once more.
    for (const refusal of refusals) await kept.addRefused(refusal)
    await kept.remove(sent)
    for (const report of sent) {
      const error = refusals.find(refusal => refusal.report === report)?.error
      settle(other => isAnswered(other, report), error ? { state: 'refused', error } : { state: 'sent' })
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

  /** Sends kept reports, oldest first, until none are left or there is a reason to wait. */
  const deliver = () =>
    exclusively('delivery', async () => {
      let atOnce = mostAtOnce
      while (Date.now() >= notBefore) {
        const user = await reporter()
        const due = user ? (await kept.of(user.id)).slice(0, atOnce) : []
        const [first] = due
        if (!user || !first) break
        try {
          const refusals = due.length > 1 ? await sendMany(user.id, due) : await sendOne(user.id, first)
          failures = 0
          lastFailure = undefined
          await takeOut(due, refusals)
        } catch (error) {
          if (!(error instanceof ViewerError)) throw error
          // An older service takes only one at a time.
          if (error.kind === 'refused') atOnce = 1
          // The connection may be too slow for so many.
          else if (error.status === 408 && due.length > 1) atOnce = Math.ceil(due.length / 2)
          else {
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
      await kept.add(report)
      const outcome = new Promise<Outcome>(resolve => waiting.push({ report, resolve }))
      await deliver()
      settle(other => other === report, { state: 'kept', error: lastFailure })
      return outcome
    },
    deliverAtOnce,
    /** Drops what the user has not sent yet, and what was refused. */
    forget: async (user_id: number) => {
      await kept.drop(user_id)
      await kept.dropRefused(user_id)
    },
    unsent: async () => {
      const user = await reporter()
      return user ? (await kept.of(user.id)).length : 0
    },
    refused: async () => {
      const user = await reporter()
      return user ? kept.refusedOf(user.id) : []
    },
    dropRefused: async () => {
      const user = await reporter()
      if (user) await kept.dropRefused(user.id)
    },
    close: () => {
      clearTimeout(timer)
      browser.removeEventListener?.('online', onOnline)
    }
  }
}
