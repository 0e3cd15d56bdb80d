import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'

export const ratings = ['like', 'dislike'] as const
export type Rating = (typeof ratings)[number]
export const Rating = Type.Unsafe<Rating>({ type: 'string', enum: [...ratings], description: 'What the user thinks of the title' })

export const RatedTitle = Type.Object(
  {
    content_id: Type.Integer({ description: 'Id of the title: a show, a film, or anything else without a parent' }),
    content: Content,
    rating: Rating,
    created_at: Timestamp
  },
  { $id: 'RatedTitle' }
)
export type RatedTitle = Static<typeof RatedTitle>

export const RatingChange = Type.Object({ rating: Rating }, { $id: 'RatingChange' })
export type RatingChange = Static<typeof RatingChange>
