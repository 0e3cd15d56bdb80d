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

/** The reason as it is sent. A watched title that cannot be served is not named: then it says popularity, but counts as watched. */
export const reasonFor = (content_id: number | undefined, content: Pick<Fragment, 'name'> | undefined): RecommendationReason => {
  switch (reasonTypeOf(content_id)) {
    case 'popular':
      return { type: 'popular' }
    case 'watched':
      return content ? { type: 'watched', content_id: content_id as number, name: content.name } : { type: 'popular' }
  }
}

/** Of ten adjacent recommendations, at most four name the same title as their reason. */
const adjacent = 10
const mostAlike = 4

/** The first candidates, except that one waits while too many just before it have the same reason. Takes only as many as it needs. */
export const varied = (candidates: Iterable<Recommendation>, count: number): Recommendation[] => {
  const taken: Recommendation[] = []
  const waiting: Recommendation[] = []
  const isTurn = ({ because }: Recommendation) => because === undefined || countLatest(taken, because) < mostAlike

  for (const candidate of candidates) {
    if (!isTurn(candidate)) {
      waiting.push(candidate)
      continue
    }
    // After each one that is taken, it may be the turn of another that waits.
    for (let next: Recommendation | undefined = candidate; next && taken.length < count; next = takeFirst(waiting, isTurn)) taken.push(next)
    if (taken.length === count) break
  }
  return taken
}

/** How many of the recommendations just before the next one have this reason. */
const countLatest = (taken: Recommendation[], because: number) => {
  let times = 0
  for (let at = Math.max(0, taken.length + 1 - adjacent); at < taken.length; at++) if (taken[at]?.because === because) times++
  return times
}

const takeFirst = (waiting: Recommendation[], isTurn: (candidate: Recommendation) => boolean): Recommendation | undefined => {
  const at = waiting.findIndex(isTurn)
  return at === -1 ? undefined : waiting.splice(at, 1)[0]
}
