/** The `Date` header has whole seconds, and a response takes time, so a smaller difference does not mean that the clock is wrong. */
const tolerance = 2000

/** Measures from responses how far the clock of this device is from that of the service. */
export const createClock = () => {
  let ahead: number | undefined

  return {
    learn: ({ headers }: Response, asked: number) => {
      // A response from a cache has an old date.
      if (!headers.get('cache-control')?.includes('no-store')) return
      const date = Date.parse(headers.get('date') ?? '')
      if (Number.isNaN(date)) return
      const difference = date + 500 - (asked + Date.now()) / 2
      ahead = Math.abs(difference) < tolerance ? 0 : difference
    },
    isKnown: () => ahead !== undefined,
    /** Converts a time of this device to a time of the service. */
    serviceTime: (here: number) => new Date(here + (ahead ?? 0)).toISOString()
  }
}
export type Clock = ReturnType<typeof createClock>
