/** Calls that come while one is under way share its result. */
export const singleFlight = <T>(call: () => Promise<T>) => {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= call().finally(() => {
      pending = undefined
    })
    return pending
  }
}
