import type { Recommendation as WireRecommendation } from '../../../schemas/recommendation.js'
import { list, okBytes, withFields } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { Recommendation } from './recommender.js'

/** Serializes the recommendations. Contents that started at `recentSince` or later are marked as recent. */
export const recommendationsBytes = async ({ skeleton, fragments }: Catalogue, recommendations: Recommendation[], recentSince: number) => {
  const reasons = recommendations.flatMap(({ because }) => because ?? [])
  const contents = await fragments.of([...recommendations.map(({ row }) => row), ...reasons].map(row => skeleton.idOf(row)))
  const named = new Map(reasons.map((row, i) => [row, contents[recommendations.length + i]?.name]))

  const parts = recommendations.map(({ row, because }, i) => {
    const reason: WireRecommendation['reason'] =
      because === undefined
        ? { type: 'popular' }
        : { type: 'watched', content_id: skeleton.idOf(because), name: named.get(because) as string }
    return withFields(contents[i] as (typeof contents)[0], { deleted_at: null, recent: skeleton.starts.raw(row) >= recentSince, reason })
  })
  return okBytes(list(parts))
}
