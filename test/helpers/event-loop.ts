/** How many turns the event loop takes while something is done. */
export const turnsDuring = async <T>(work: () => Promise<T>) => {
  let turns = 0
  let hasEnded = false
  const turn = () => {
    turns++
    if (!hasEnded) setImmediate(turn)
  }
  setImmediate(turn)
  const result = await work()
  hasEnded = true
  return { turns, result }
}
