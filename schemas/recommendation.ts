import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { Content } from './content.js'
import { PageQuery } from './page.js'

export const RecommendationsQuery = Type.Pick(Type.Object(PageQuery), ['perPage'])

export const Recommendation = Type.Composite(
  [
    Content,
    Type.Object({
      deleted_at: Nullable(Timestamp),
      recent: Type.Boolean({ description: 'Whether its start date is within the last `RECENT_DAYS` days' }),
      reason: Type.Union([
        Type.Object(
          { type: Type.Literal('watched'), content_id: Type.Integer(), name: Type.String() },
          { description: "The title in the user's history that contributed most to this recommendation" }
        ),
        Type.Object({ type: Type.Literal('popular') })
      ])
    })
  ],
  { $id: 'Recommendation' }
)
export type Recommendation = Static<typeof Recommendation>
