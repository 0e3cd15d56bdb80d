export type Exclusively = <T>(name: string, work: () => Promise<T>) => Promise<T>

interface Browser {
  navigator?: { locks?: { request: Exclusively } }
}

/** Runs one piece of work at a time per name: across tabs if the browser has Web Locks, otherwise within this client. */
export const createExclusively = (scope: string): { exclusively: Exclusively; acrossTabs: boolean } => {
  const locks = (globalThis as Browser).navigator?.locks
  if (locks) return { exclusively: (name, work) => locks.request(`${scope} ${name}`, work), acrossTabs: true }

  const last = new Map<string, Promise<unknown>>()
  return {
    exclusively: (name, work) => {
      const turn = Promise.resolve(last.get(name)).then(work)
      last.set(
        name,
        turn.catch(() => undefined)
      )
      return turn
    },
    acrossTabs: false
  }
}
