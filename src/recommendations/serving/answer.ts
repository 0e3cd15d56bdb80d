import type { RecommendationReason } from '../../../schemas/recommendation.js'
import { type Fragment, list, okBytes, withFields } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { recentUntil } from './recent.js'
import type { Recommendation } from './recommender.js'

const popular: RecommendationReason = { type: 'popular' }

/** Names the watched title that led to a recommendation. Without one, or if it cannot be served, popularity is the reason. */
export const reasonFor = (content_id: number | undefined, content: Pick<Fragment, 'name'> | undefined): RecommendationReason =>
  content_id === undefined || !content ? popular : { type: 'watched', content_id, name: content.name }

export const recommendationsBytes = async ({ skeleton, fragments }: Catalogue, recommendations: Recommendation[], recentDays: number) => {
  const now = Date.now()
  const reasons = recommendations.flatMap(({ because }) => because ?? [])
  const contents = await fragments.of([...recommendations.map(({ title }) => title), ...reasons].map(row => skeleton.idOf(row)))
  const named = new Map(reasons.map((row, i) => [row, contents[recommendations.length + i]]))
  const reasonOf = (row: number | undefined) => (row === undefined ? popular : reasonFor(skeleton.idOf(row), named.get(row)))

  const parts = recommendations.map(({ title, because }, i) => {
    return withFields(contents[i] as (typeof contents)[0], {
      deleted_at: null,
      recent: now < recentUntil(skeleton, title, recentDays),
      reason: reasonOf(because)
    })
  })
  return okBytes(list(parts))
}
