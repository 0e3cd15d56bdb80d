import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'

export const SupportText = Type.Object(
  {
    id: Type.Integer(),
    context: Type.String(),
    language: Type.String(),
    title: Type.String(),
    content: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp
  },
  { $id: 'SupportText' }
)
export type SupportText = Static<typeof SupportText>
