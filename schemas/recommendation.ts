import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { Content } from './content.js'
import { ContentId } from './history.js'
import { defaultPerPage, PageQuery } from './page.js'
import { published } from './published.js'

/** Why a title is recommended. `reasonTypeOf` in `src/recommendations/serving/reasons.ts` decides. */
export const reasonTypes = ['watched', 'popular'] as const
const reason = { type: Type.Literal('watched'), content_id: Type.Integer(), name: Type.String() }
/** Client generators cannot handle unions of objects. */
export const RecommendationReason = published(
  Type.Union([Type.Object(reason), Type.Object({ type: Type.Literal('popular') })], { $id: 'RecommendationReason' }),
  {
    type: 'object',
    required: ['type'],
    properties: {
      type: { type: 'string', enum: [...reasonTypes] },
      content_id: {
        type: 'integer',
        description: 'With `watched`: the watched or liked title that contributed most'
      },
      name: { type: 'string', description: 'With `watched`: the name of that title' }
    }
  }
)
export type RecommendationReason = Static<typeof RecommendationReason>

export const RecommendationsQuery = Type.Pick(Type.Object(PageQuery), ['perPage'])

export const Recommendation = Type.Composite(
  [
    Content,
    Type.Object({
      deleted_at: Nullable(Timestamp),
      recent: Type.Boolean({ description: 'Whether its start date is within the last `RECENT_DAYS` days' }),
      reason: RecommendationReason
    })
  ],
  { $id: 'Recommendation' }
)
export type Recommendation = Static<typeof Recommendation>

export const SeenTitles = Type.Object(
  { content_ids: Type.Array(ContentId, { minItems: 1, maxItems: 100, description: 'The titles that were on the screen' }) },
  { $id: 'SeenTitles' }
)

export const SimilarQuery = Type.Object({
  perPage: Type.Integer({ minimum: 1, maximum: 50, default: defaultPerPage, description: 'Number of elements' })
})

export const SimilarContent = Type.Composite([Content, Type.Pick(Recommendation, ['recent'])], { $id: 'SimilarContent' })
export type SimilarContent = Static<typeof SimilarContent>
