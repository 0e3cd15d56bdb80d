import { type Static, Type } from '@sinclair/typebox'

export const LegalDocument = Type.Object(
  {
    title: Type.String(),
    sections: Type.Array(Type.Object({ title: Type.String(), content: Type.String({ description: 'HTML' }) }))
  },
  { $id: 'LegalDocument' }
)
export type LegalDocument = Static<typeof LegalDocument>
