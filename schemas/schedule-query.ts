import { type Static, Type } from '@sinclair/typebox'
import { maxValueLength, Names } from './lists.js'
import { PageQuery } from './page.js'

const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', maxLength: maxValueLength, description }))

export const ScheduleQuery = Type.Object({
  from: Moment('Start of the window, by default now'),
  to: Moment('End of the window, by default 24 hours after `from`'),
  channel: Names('Only these channels'),
  ...PageQuery
})
export type ScheduleQuery = Static<typeof ScheduleQuery>
