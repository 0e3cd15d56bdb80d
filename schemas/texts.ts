import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'

/** Published as `LegalDocument`, which in the service is the type of the stored document. */
export const LegalText = Type.Object(
  {
    title: Type.String(),
    sections: Type.Array(Type.Object({ title: Type.String(), content: Type.String({ description: 'HTML' }) }, { $id: 'LegalSection' }))
  },
  { $id: 'LegalDocument' }
)
export type LegalText = Static<typeof LegalText>

export const SupportText = Type.Object(
  {
    id: Type.Integer(),
    context: Type.String({ description: 'Where an app shows the text' }),
    language: Type.String({ description: 'Language tag' }),
    title: Type.String(),
    content: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp
  },
  { $id: 'SupportText' }
)
export type SupportText = Static<typeof SupportText>
