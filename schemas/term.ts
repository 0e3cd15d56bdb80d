import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'

export const Term = Type.Object(
  {
    id: Type.Integer(),
    vendor_id: Type.String({ description: 'Id of the term on the video platform' }),
    name: Type.String(),
    taxonomy: Type.String({ examples: ['category', 'discipline'] }),
    created_at: Timestamp,
    updated_at: Timestamp
  },
  { $id: 'Term' }
)
export type Term = Static<typeof Term>
