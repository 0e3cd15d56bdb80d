import type { Recommendation as WireRecommendation } from '../../../schemas/recommendation.js'
import { list, okBytes, withFields } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { recentUntil } from './recent.js'
import type { Recommendation } from './recommender.js'

/** Serializes the recommendations. */
export const recommendationsBytes = async ({ skeleton, fragments }: Catalogue, recommendations: Recommendation[], recentDays: number) => {
  const now = Date.now()
  const reasons = recommendations.flatMap(({ because }) => because ?? [])
  const contents = await fragments.of([...recommendations.map(({ row }) => row), ...reasons].map(row => skeleton.idOf(row)))
  const named = new Map(reasons.map((row, i) => [row, contents[recommendations.length + i]?.name]))

  const parts = recommendations.map(({ row, because }, i) => {
    const reason: WireRecommendation['reason'] =
      because === undefined
        ? { type: 'popular' }
        : { type: 'watched', content_id: skeleton.idOf(because), name: named.get(because) as string }
    return withFields(contents[i] as (typeof contents)[0], {
      deleted_at: null,
      recent: now < recentUntil(skeleton, row, recentDays),
      reason
    })
  })
  return okBytes(list(parts))
}
