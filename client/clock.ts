/** The header has whole seconds, and an answer takes a while: what differs less is no wrong clock. */
const tolerance = 2000

/** How the clock of this device stands to that of the service, learnt from the answers. */
export const createClock = () => {
  let ahead: number | undefined

  return {
    learn: ({ headers }: Response, asked: number) => {
      // An answer from a cache has the date of long ago.
      if (!headers.get('cache-control')?.includes('no-store')) return
      const told = Date.parse(headers.get('date') ?? '')
      if (Number.isNaN(told)) return
      const difference = told + 500 - (asked + Date.now()) / 2
      ahead = Math.abs(difference) < tolerance ? 0 : difference
    },
    isKnown: () => ahead !== undefined,
    /** The time of the service at a moment of the clock here. */
    serviceTime: (here: number) => new Date(here + (ahead ?? 0)).toISOString()
  }
}
export type Clock = ReturnType<typeof createClock>
