/** 128 and the number of the signal, as shells have it. */
const stoppedBy = { SIGINT: 130, SIGTERM: 143 } as const

/** Aborts at the first signal to stop and sets the status that tells of it; a second one ends the process at once. */
export const stopOnSignal = (): AbortSignal => {
  const stop = new AbortController()
  for (const [signal, status] of Object.entries(stoppedBy)) {
    process.once(signal, () => {
      process.exitCode = status
      stop.abort()
    })
  }
  return stop.signal
}
