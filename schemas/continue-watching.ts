import { Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'
import { HistoryProgress } from './history.js'

export const ContinueWatchingCard = Type.Object(
  {
    reason: Type.Unsafe<'resume' | 'next'>({ type: 'string', enum: ['resume', 'next'] }),
    content: Content,
    history: Type.Union([HistoryProgress, Type.Null()]),
    updated_at: Timestamp
  },
  { $id: 'ContinueWatchingCard' }
)
