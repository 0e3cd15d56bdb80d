import type { User } from './keeper.js'

/** In milliseconds. Titles seen within this time are sent in one request. */
const delay = 5000
/** The service does not count a title again within this time. */
const apart = 30 * 60_000
/** The maximum that the service accepts in one request. */
const mostAtOnce = 100

interface Options {
  user: () => Promise<User | undefined>
  send: (owner: number, content_ids: number[]) => Promise<unknown>
}

interface Browser {
  document?: {
    visibilityState: string
    addEventListener?: (type: 'visibilitychange', listener: () => void) => void
    removeEventListener?: (type: 'visibilitychange', listener: () => void) => void
  }
}

/** Reports which titles were on the screen. The user does not depend on it, so it is neither stored nor retried. */
export const createSeen = ({ user, send }: Options) => {
  const { document } = globalThis as Browser
  /** The user who has seen these titles. */
  let owner: number | undefined
  /** When the titles were sent, or will be. */
  const sentAt = new Map<number, number>()
  let waiting: number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let adding: Promise<void> = Promise.resolve()
  /** How often the user has begun to change, and how many of these changes are in progress. */
  let [changes, underWay] = [0, 0]

  const disarm = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const drop = () => {
    disarm()
    waiting = []
    sentAt.clear()
  }

  const sendWaiting = () => {
    disarm()
    while (owner !== undefined && waiting.length > 0) {
      const ids = waiting.splice(0, mostAtOnce)
      send(owner, ids).catch(() => {
        for (const id of ids) sentAt.delete(id)
      })
    }
  }

  const add = async (ids: number[]) => {
    if (underWay > 0) return
    const before = changes
    const current = await user().catch(() => undefined)
    if (!current || changes !== before) return
    if (current.id !== owner) drop()
    owner = current.id

    const now = Date.now()
    for (const id of ids) {
      if (now < (sentAt.get(id) ?? 0) + apart) continue
      sentAt.set(id, now + delay)
      waiting.push(id)
    }
    timer ??= setTimeout(sendWaiting, delay)
    // In Node.js, the timer must not keep the process alive.
    ;(timer as { unref?: () => void }).unref?.()
  }

  const onVisibility = () => {
    if (document?.visibilityState === 'hidden') void adding.then(sendWaiting)
  }
  document?.addEventListener?.('visibilitychange', onVisibility)

  return {
    report: (...contentIds: number[]) => {
      adding = add(contentIds)
    },
    /** Drops waiting titles, and ignores reports until the user has changed, because it is unclear who has seen them. */
    during: async <Result>(change: () => Promise<Result>) => {
      changes += 1
      underWay += 1
      drop()
      try {
        return await change()
      } finally {
        underWay -= 1
      }
    },
    close: () => {
      void adding.then(sendWaiting)
      document?.removeEventListener?.('visibilitychange', onVisibility)
    }
  }
}
