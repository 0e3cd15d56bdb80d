import { Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { Content } from './content.js'
import { PageQuery } from './page.js'

export const RecommendationsQuery = Type.Pick(Type.Object(PageQuery), ['perPage'])

export const Recommendation = Type.Composite(
  [
    Content,
    Type.Object({
      deleted_at: Nullable(Timestamp),
      recent: Type.Boolean({ description: 'Whether it started within the last days (`RECENT_DAYS`)' }),
      reason: Type.Union([
        Type.Object(
          { type: Type.Literal('watched'), content_id: Type.Integer(), name: Type.String() },
          { description: "The title of the user's own history that speaks most for it" }
        ),
        Type.Object({ type: Type.Literal('popular') })
      ])
    })
  ],
  { $id: 'Recommendation' }
)
