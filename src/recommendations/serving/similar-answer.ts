import type { SimilarContent } from '../../../schemas/similar.js'
import type { Audience } from '../../catalogue/audience.js'
import { type JsonParts, listAnswer, withFields } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { contentNotFound, orThrow } from '../../errors.js'
import { recentUntil } from './recent.js'
import type { Recommender } from './recommender.js'

interface SimilarRequest {
  titleId: number
  count: number
  audience: Audience
}

/** The titles like another one. Only contents that are not cached are read from the database. */
export const similarAnswer = (
  catalogue: Catalogue,
  recommender: Recommender,
  { titleId, count, audience }: SimilarRequest,
  recentDays: number
) => {
  const key = JSON.stringify(['similar', titleId, count, catalogue.skeleton.segment(audience), recommender.version(audience.country)])
  return catalogue.answer(key, async () => {
    const { skeleton, fragments } = catalogue
    const now = Date.now()
    const rows = recommender.similar(orThrow(skeleton.row(titleId), contentNotFound), audience, count)
    const contents = await fragments.forPublicList(rows.map(row => skeleton.idOf(row)))
    const ends = rows.map(row => recentUntil(skeleton, row, recentDays))
    const similar: JsonParts<SimilarContent>[] = contents.map((fragment, i) => withFields(fragment, { recent: now < (ends[i] as number) }))
    return listAnswer(similar, Math.min(...ends.filter(end => now < end)))
  })
}
