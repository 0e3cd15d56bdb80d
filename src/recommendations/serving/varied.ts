interface Candidate {
  title: number
  /** The watched title that is the reason, if any. */
  because?: number | undefined
}

/** Of ten adjacent recommendations, at most four have the same reason. */
const adjacent = 10
const mostAlike = 4

/**
 * The first candidates, in their order, except that a candidate waits while too many just before it have the same reason. Takes only
 * as many candidates as it needs.
 */
export const varied = (candidates: Iterable<Candidate>, count: number): Candidate[] => {
  const taken: Candidate[] = []
  const waiting: Candidate[] = []
  const isTurn = ({ because }: Candidate) => because === undefined || countLatest(taken, because) < mostAlike

  for (const candidate of candidates) {
    if (!isTurn(candidate)) {
      waiting.push(candidate)
      continue
    }
    // After each one that is taken, it may be the turn of another that waits.
    for (let next: Candidate | undefined = candidate; next && taken.length < count; next = takeFirst(waiting, isTurn)) taken.push(next)
    if (taken.length === count) break
  }
  return taken
}

/** How many of the recommendations just before the next one have this reason. */
const countLatest = (taken: Candidate[], because: number) => {
  let times = 0
  for (let at = Math.max(0, taken.length + 1 - adjacent); at < taken.length; at++) if (taken[at]?.because === because) times++
  return times
}

const takeFirst = (waiting: Candidate[], isTurn: (candidate: Candidate) => boolean): Candidate | undefined => {
  const at = waiting.findIndex(isTurn)
  return at === -1 ? undefined : waiting.splice(at, 1)[0]
}
