import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'
import { Moment, Names } from './lists.js'
import { PageQuery } from './page.js'

export const Programme = Type.Object(
  {
    id: Type.Integer(),
    channel: Type.String(),
    starts_at: { ...Timestamp, description: 'When it begins' },
    ends_at: { ...Timestamp, description: 'When it is over' },
    content: Content
  },
  { $id: 'Programme', description: 'What a channel shows at a certain time' }
)
export type Programme = Static<typeof Programme>

export const ScheduleQuery = Type.Object({
  from: Moment('Start of the window, by default now', '2026-01-31T20:00:00Z'),
  to: Moment('End of the window, not before `from`, by default 24 hours after it', '2026-02-01T20:00:00Z'),
  channel: Names('Only these channels', 'stories'),
  ...PageQuery
})
export type ScheduleQuery = Static<typeof ScheduleQuery>

export const OnAirQuery = Type.Object({ channel: Names('Only these channels', 'stories') })
export type OnAirQuery = Static<typeof OnAirQuery>

const ProgrammeOrNull = Type.Union([Programme, Type.Null()])

export const OnAir = Type.Object(
  { channel: Type.String(), now: ProgrammeOrNull, next: ProgrammeOrNull },
  { $id: 'OnAir', description: 'What a channel shows now, and what it shows next within 24 hours' }
)
export type OnAir = Static<typeof OnAir>
