import type { Recommendation as WireRecommendation } from '../../../schemas/recommendation.js'
import { type Fragment, list, okBytes, withFields } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { recentUntil } from './recent.js'
import type { Recommendation } from './recommender.js'

type Reason = WireRecommendation['reason']

/** The wire form of a reason: the id of the watched title, and its content. */
export const reasonFor = (content_id: number | undefined, content: Pick<Fragment, 'name'> | undefined): Reason =>
  content_id === undefined || !content ? { type: 'popular' } : { type: 'watched', content_id, name: content.name }

/** Serializes the recommendations. */
export const recommendationsBytes = async ({ skeleton, fragments }: Catalogue, recommendations: Recommendation[], recentDays: number) => {
  const now = Date.now()
  const reasons = recommendations.flatMap(({ because }) => because ?? [])
  const contents = await fragments.of([...recommendations.map(({ row }) => row), ...reasons].map(row => skeleton.idOf(row)))
  const named = new Map(reasons.map((row, i) => [row, contents[recommendations.length + i]]))

  const parts = recommendations.map(({ row, because }, i) => {
    return withFields(contents[i] as (typeof contents)[0], {
      deleted_at: null,
      recent: now < recentUntil(skeleton, row, recentDays),
      reason: because === undefined ? reasonFor(undefined, undefined) : reasonFor(skeleton.idOf(because), named.get(because))
    })
  })
  return okBytes(list(parts))
}
