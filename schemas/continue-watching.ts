import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'
import { HistoryProgress } from './history.js'
import { Moment, Several, TitleId } from './lists.js'
import { PageQuery } from './page.js'

export const ResumePosition = Type.Object(
  {
    time: Type.Number({ description: 'Where to start, in seconds' }),
    percentage: Type.Number({ description: 'The same as a percentage of the video' })
  },
  { $id: 'ResumePosition' }
)

const reasons = ['resume', 'next'] as const
const CardReason = Type.Unsafe<(typeof reasons)[number]>({ type: 'string', enum: [...reasons] })

export const ContinueWatchingCard = Type.Object(
  {
    reason: CardReason,
    content: Content,
    history: Type.Union([HistoryProgress, Type.Null()]),
    resume: ResumePosition,
    updated_at: Timestamp,
    is_new: Type.Optional(
      Type.Boolean({ description: 'In a `next` card: whether the item became available after the last report of its show' })
    )
  },
  { $id: 'ContinueWatchingCard' }
)
export type ContinueWatchingCard = Static<typeof ContinueWatchingCard>

export const ContinueWatchingQuery = Type.Object({
  since: Moment('Only cards that were updated at this time or later. Others do not count in the totals', '2026-01-31T20:00:00Z'),
  title: TitleId('Only the card of this title. The id of any of its items is accepted'),
  reason: Several(CardReason, 'Only cards with these reasons', 'next'),
  ...PageQuery
})
export type ContinueWatchingQuery = Static<typeof ContinueWatchingQuery>
