import type { RecommendationReason } from '../../../schemas/recommendation.js'
import { type Fragment, list, okBytes, withFields } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { recentUntil } from './recent.js'
import type { Recommendation } from './recommender.js'

const popular: RecommendationReason = { type: 'popular' }

/** Names the watched title that led to a recommendation. Without one, or if it cannot be served, popularity is the reason. */
export const reasonFor = (content_id: number | undefined, content: Pick<Fragment, 'name'> | undefined): RecommendationReason =>
  content_id === undefined || !content ? popular : { type: 'watched', content_id, name: content.name }

/** Leaves out titles whose content cannot be served. */
export const recommendationsBytes = async ({ skeleton, fragments }: Catalogue, recommendations: Recommendation[], recentDays: number) => {
  const now = Date.now()
  const reasons = recommendations.flatMap(({ because }) => because ?? [])
  const rows = [...recommendations.map(({ title }) => title), ...reasons]
  const contents = await fragments.of(rows.map(row => skeleton.idOf(row)))
  const contentOf = new Map(rows.map((row, i) => [row, contents[i]]))
  const reasonOf = (row: number | undefined) => (row === undefined ? popular : reasonFor(skeleton.idOf(row), contentOf.get(row)))

  const parts = recommendations.flatMap(({ title, because }) => {
    const content = contentOf.get(title)
    if (!content) return []
    const recent = now < recentUntil(skeleton, title, recentDays)
    return [withFields(content, { deleted_at: null, recent, reason: reasonOf(because) })]
  })
  return okBytes(list(parts))
}
