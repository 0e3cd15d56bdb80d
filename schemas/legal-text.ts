import { type Static, Type } from '@sinclair/typebox'

/** Published as `LegalDocument`. In the service, that is the document in the database. */
export const LegalText = Type.Object(
  {
    title: Type.String(),
    sections: Type.Array(Type.Object({ title: Type.String(), content: Type.String({ description: 'HTML' }) }, { $id: 'LegalSection' }))
  },
  { $id: 'LegalDocument' }
)
export type LegalText = Static<typeof LegalText>
