import type { SimilarContent } from '../../../schemas/recommendation.js'
import { type Audience, segmentOf } from '../../catalogue/audience.js'
import { type JsonParts, list, listAnswer, okBytes } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { type Fragment, withFields } from '../../catalogue/fragments.js'
import type { Skeleton } from '../../catalogue/skeleton.js'
import { orThrow, resourceNotFound } from '../../errors.js'
import { days } from '../../time.js'
import { type Recommendation, reasonFor } from './reasons.js'
import type { Recommender } from './recommender.js'

/** The first moment at which an item is no longer marked as recent. */
export const recentUntil = ({ starts }: Skeleton, row: number, recentDays: number) => starts.raw(row) + days(recentDays) + 1

/** Leaves out titles whose content cannot be served. */
export const recommendationsBytes = async ({ skeleton, fragments }: Catalogue, recommendations: Recommendation[], recentDays: number) => {
  const now = Date.now()
  const rows = [...recommendations.map(({ title }) => title), ...recommendations.flatMap(({ because }) => because ?? [])]
  const contents = await fragments.load(rows.map(row => skeleton.idOf(row)))
  const contentOf = new Map<number | undefined, Fragment | undefined>(rows.map((row, i) => [row, contents[i]]))

  const parts = recommendations.flatMap(({ title, because }) => {
    const content = contentOf.get(title)
    if (!content) return []
    const recent = now < recentUntil(skeleton, title, recentDays)
    const reason = reasonFor(because === undefined ? undefined : skeleton.idOf(because), contentOf.get(because))
    return [withFields(content, { deleted_at: null, recent, reason })]
  })
  return okBytes(list(parts))
}

interface SimilarRequest {
  titleId: number
  count: number
  audience: Audience
}

/** Titles like another one. Only contents that are not cached are read from the database. */
export const similarAnswer = (
  catalogue: Catalogue,
  recommender: Recommender,
  { titleId, count, audience }: SimilarRequest,
  recentDays: number
) => {
  const key = JSON.stringify(['similar', titleId, count, segmentOf(catalogue.skeleton, audience), recommender.version(audience.country)])
  return catalogue.answer(key, async () => {
    const { skeleton, fragments } = catalogue
    const now = Date.now()
    const rows = recommender.similar(orThrow(skeleton.row(titleId), resourceNotFound), audience, count)
    const contents = await fragments.forPublicList(rows.map(row => skeleton.idOf(row)))
    const ends = rows.map(row => recentUntil(skeleton, row, recentDays))
    const similar: JsonParts<SimilarContent>[] = contents.map((fragment, i) => withFields(fragment, { recent: now < (ends[i] as number) }))
    return listAnswer(similar, Math.min(...ends.filter(end => now < end)))
  })
}
