import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'
import { HistoryProgress } from './history.js'
import { Moment, TitleId } from './lists.js'
import { PageQuery } from './page.js'

export const ResumePosition = Type.Object(
  {
    time: Type.Number({ description: 'Where to start, in seconds' }),
    percentage: Type.Number({ description: 'The same as a percentage of the video' })
  },
  { $id: 'ResumePosition' }
)

export const ContinueWatchingCard = Type.Object(
  {
    reason: Type.Unsafe<'resume' | 'next'>({ type: 'string', enum: ['resume', 'next'] }),
    content: Content,
    history: Type.Union([HistoryProgress, Type.Null()]),
    resume: ResumePosition,
    updated_at: Timestamp
  },
  { $id: 'ContinueWatchingCard' }
)
export type ContinueWatchingCard = Static<typeof ContinueWatchingCard>

export const ContinueWatchingQuery = Type.Object({
  since: Moment('Only cards that were updated at this time or later', '2026-01-31T20:00:00Z'),
  title: TitleId('Only the card of this title. The id of any of its contents will do'),
  ...PageQuery
})
export type ContinueWatchingQuery = Static<typeof ContinueWatchingQuery>
