import { type Static, Type } from '@sinclair/typebox'
import { Moment, Names } from './lists.js'
import { PageQuery } from './page.js'

export const ScheduleQuery = Type.Object({
  from: Moment('Start of the window, by default now', '2026-01-31T20:00:00Z'),
  to: Moment('End of the window, by default 24 hours after `from`', '2026-02-01T20:00:00Z'),
  channel: Names('Only these channels', 'stories'),
  ...PageQuery
})
export type ScheduleQuery = Static<typeof ScheduleQuery>
