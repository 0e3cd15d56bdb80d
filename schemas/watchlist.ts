import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'
import { ContentId } from './history.js'
import { Ids } from './lists.js'
import { PageQuery } from './page.js'

export const WatchlistElement = Type.Object(
  {
    id: Type.Integer(),
    user_id: Type.Integer(),
    content_id: Type.Integer(),
    video_id: Type.String({ description: 'The `handler_id` of the item' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    content: Content
  },
  { $id: 'WatchlistElement' }
)
export type WatchlistElement = Static<typeof WatchlistElement>

export const WatchlistAddition = Type.Object({ content_id: ContentId }, { $id: 'WatchlistAddition' })
export type WatchlistAddition = Static<typeof WatchlistAddition>

export const WatchlistQuery = Type.Object({ content_id: Ids('Only elements of these items', 1405), ...PageQuery })
