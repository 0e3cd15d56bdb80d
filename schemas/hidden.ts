import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'

export const HiddenTitle = Type.Object(
  {
    content_id: Type.Integer({ description: 'Id of the title: a show, a film, or anything else without a parent' }),
    content: Content,
    created_at: Timestamp
  },
  { $id: 'HiddenTitle' }
)
export type HiddenTitle = Static<typeof HiddenTitle>
