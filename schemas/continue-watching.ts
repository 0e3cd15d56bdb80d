import { Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'
import { HistoryProgress } from './history.js'
import { Moment } from './lists.js'
import { PageQuery } from './page.js'

export const ContinueWatchingCard = Type.Object(
  {
    reason: Type.Unsafe<'resume' | 'next'>({ type: 'string', enum: ['resume', 'next'] }),
    content: Content,
    history: Type.Union([HistoryProgress, Type.Null()]),
    updated_at: Timestamp
  },
  { $id: 'ContinueWatchingCard' }
)

export const ContinueWatchingQuery = Type.Object({
  since: Moment('Only cards that were updated at this time or later', '2026-01-31T20:00:00Z'),
  ...PageQuery
})
