interface Candidate {
  row: number
  /** The title that it is because of, if any. */
  because?: number
}

/** Of ten adjacent recommendations, at most four have the same reason. */
const neighbours = 10
const mostAlike = 4

/**
 * The first candidates, in their order, except that a candidate waits while too many just before it have the same reason. Takes only
 * as many candidates as it needs.
 */
export const varied = (candidates: Iterable<Candidate>, count: number): Candidate[] => {
  const taken: Candidate[] = []
  const waiting: Candidate[] = []
  const isTurn = ({ because }: Candidate) =>
    because === undefined || taken.slice(1 - neighbours).filter(before => before.because === because).length < mostAlike
  const takeWaiting = () => {
    const at = waiting.findIndex(isTurn)
    if (at !== -1) taken.push(...waiting.splice(at, 1))
    return at !== -1
  }

  for (const candidate of candidates) {
    while (taken.length < count && takeWaiting());
    if (taken.length === count) break
    if (isTurn(candidate)) taken.push(candidate)
    else waiting.push(candidate)
  }
  while (taken.length < count && takeWaiting());
  return taken
}
