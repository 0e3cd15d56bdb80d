import { type Static, Type } from '@sinclair/typebox'
import { Ok, Timestamp } from './common.js'
import { Content } from './content.js'
import { Ids, Moment } from './lists.js'
import { PageQuery } from './page.js'

export const Play = Type.Object(
  {
    content_id: Type.Integer(),
    content: Content,
    at: { ...Timestamp, description: 'The `observed_at` of the report that completed the item, or its arrival' }
  },
  { $id: 'Play' }
)
export type Play = Static<typeof Play>

export const PlaysQuery = Type.Object({
  content_id: Ids('Only plays of these items', 1405),
  from: Moment('Only plays at this moment or later', '2026-01-01T00:00:00Z'),
  to: Moment('Only plays before this moment. Returns 400 if it is before `from`', '2027-01-01T00:00:00Z'),
  ...PageQuery
})
export type PlaysQuery = Static<typeof PlaysQuery>

const sums = {
  plays: Type.Integer(),
  minutes: Type.Integer({
    description: 'The total duration of all plays, rounded down. An item without a `duration` counts as 0'
  })
}

export const firstYear = 1970
export const lastYear = 2200

export const YearQuery = Type.Object({
  timezone: Type.String({
    format: 'time-zone',
    'x-rule': 'the name of an IANA time zone like Europe/Berlin',
    default: 'UTC',
    description:
      'The name of an IANA time zone like `Europe/Berlin`. Decides when the year and its months begin. Unknown names, offsets and an empty value return 400'
  })
})

const MonthOfYear = Type.Object(sums, { $id: 'MonthOfYear' })
const TitleOfYear = Type.Object({ content: Content, ...sums }, { $id: 'TitleOfYear' })
export type TitleOfYear = Static<typeof TitleOfYear>
const TermOfYear = Type.Object({ id: Type.Integer(), name: Type.String(), minutes: sums.minutes }, { $id: 'TermOfYear' })

const Year = Type.Object(
  {
    year: Type.Integer(),
    ...sums,
    titles: Type.Integer({ description: 'How many shows and films, including deleted ones' }),
    by_month: Type.Array(MonthOfYear, { description: 'Twelve, January first' }),
    top: Type.Array(TitleOfYear, { description: 'Up to 10 titles, by `minutes`, then `plays`, then the lower id' }),
    terms: Type.Array(TermOfYear, {
      description: 'Up to 10 terms of the titles themselves with at least one minute, by `minutes`, then the lower id'
    })
  },
  { $id: 'Year', description: 'What a user has watched in a year' }
)
export type Year = Static<typeof Year>

export const YearAnswer = Ok(Year)
