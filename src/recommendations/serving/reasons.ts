import type { RecommendationReason } from '../../../schemas/recommendation.js'
import type { Fragment } from '../../catalogue/fragments.js'

/** A recommended title, and the watched title that is its reason, as rows of the skeleton. Without one, the reason is popularity. */
export interface Recommendation {
  title: number
  /** The watched title that contributes most. */
  because?: number | undefined
}

export type ReasonType = RecommendationReason['type']

/** Decides the type of a reason, for responses and for counts. */
export const reasonTypeOf = (because: number | undefined): ReasonType => (because === undefined ? 'popular' : 'watched')

/** The wire form of a reason. If the watched title cannot be served, the reason is sent as popularity, but still counts as watched. */
export const reasonFor = (content_id: number | undefined, content: Pick<Fragment, 'name'> | undefined): RecommendationReason => {
  switch (reasonTypeOf(content_id)) {
    case 'popular':
      return { type: 'popular' }
    case 'watched':
      return content ? { type: 'watched', content_id: content_id as number, name: content.name } : { type: 'popular' }
  }
}

/** Of ten adjacent recommendations, at most four have the same reason. */
const adjacent = 10
const mostAlike = 4

/**
 * The first candidates, except that a candidate is postponed while too many just before it have the same reason. Takes only as many as
 * needed.
 */
export const varied = (candidates: Iterable<Recommendation>, count: number): Recommendation[] => {
  const taken: Recommendation[] = []
  const waiting: Recommendation[] = []
  const isTurn = ({ because }: Recommendation) => because === undefined || countLatest(taken, because) < mostAlike

  for (const candidate of candidates) {
    if (!isTurn(candidate)) {
      waiting.push(candidate)
      continue
    }
    // After each one that is taken, it may be the turn of one that was postponed.
    for (let next: Recommendation | undefined = candidate; next && taken.length < count; next = takeFirst(waiting, isTurn)) taken.push(next)
    if (taken.length === count) break
  }
  return taken
}

/** How many of the latest recommendations have this reason. */
const countLatest = (taken: Recommendation[], because: number) => {
  let times = 0
  for (let at = Math.max(0, taken.length + 1 - adjacent); at < taken.length; at++) if (taken[at]?.because === because) times++
  return times
}

const takeFirst = (waiting: Recommendation[], isTurn: (candidate: Recommendation) => boolean): Recommendation | undefined => {
  const at = waiting.findIndex(isTurn)
  return at === -1 ? undefined : waiting.splice(at, 1)[0]
}
