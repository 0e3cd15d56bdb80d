import { Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { Content } from './content.js'
import { HistoryProgress } from './history.js'

export const ContinueWatchingCard = Type.Object(
  {
    reason: Type.Union([Type.Literal('resume'), Type.Literal('next')]),
    content: Content,
    history: Nullable(HistoryProgress),
    updated_at: Timestamp
  },
  { $id: 'ContinueWatchingCard' }
)
