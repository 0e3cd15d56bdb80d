import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Content } from './content.js'

export const Programme = Type.Object(
  { id: Type.Integer(), channel: Type.String(), starts_at: Timestamp, ends_at: Timestamp, content: Content },
  { $id: 'Programme', description: 'What a channel shows at a certain time' }
)
export type Programme = Static<typeof Programme>
