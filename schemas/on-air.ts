import { type Static, Type } from '@sinclair/typebox'
import { Names } from './lists.js'
import { Programme } from './programme.js'

export const OnAirQuery = Type.Object({ channel: Names('Only these channels', 'stories') })
export type OnAirQuery = Static<typeof OnAirQuery>

const ProgrammeOrNull = Type.Union([Programme, Type.Null()])

export const OnAir = Type.Object(
  { channel: Type.String(), now: ProgrammeOrNull, next: ProgrammeOrNull },
  { $id: 'OnAir', description: 'What a channel shows now, and what it shows next within 24 hours' }
)
export type OnAir = Static<typeof OnAir>
