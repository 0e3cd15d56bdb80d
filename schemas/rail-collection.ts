import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Several } from './lists.js'
import { PageQuery } from './page.js'

const rail = {
  id: Type.Integer(),
  name: Type.String(),
  mname: Type.String({ description: 'Machine name in snake case' }),
  endpoint: Type.String({ description: 'Absolute URL of a GET /contents query that returns the items of the rail' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  framework_through_key: Type.Integer()
}

export const Rail = Type.Object(rail, { $id: 'Rail' })
export type Rail = Static<typeof Rail>

export const RailCollection = Type.Object(
  { ...rail, rails: Type.Optional(Type.Array(Rail, { description: 'Only if the query has `with=rails`' })) },
  { $id: 'RailCollection' }
)
export type RailCollection = Static<typeof RailCollection>

export const RailCollectionsQuery = Type.Object({
  with: Several(Type.Union([Type.Literal('rails')]), 'Relations to include: `rails`', 'rails'),
  ...PageQuery
})
export type RailCollectionsQuery = Static<typeof RailCollectionsQuery>
