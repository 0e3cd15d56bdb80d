/** 128 plus the number of the signal, as in shells. */
const stoppedBy = { SIGINT: 130, SIGTERM: 143 } as const

/** Aborts at the first stop signal and sets the exit status for it. A second signal ends the process at once. */
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
