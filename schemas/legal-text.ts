import { type Static, Type } from '@sinclair/typebox'

/** Published as `LegalDocument`. In the service, `LegalDocument` is the type of the stored document. */
export const LegalText = Type.Object(
  {
    title: Type.String(),
    sections: Type.Array(Type.Object({ title: Type.String(), content: Type.String({ description: 'HTML' }) }, { $id: 'LegalSection' }))
  },
  { $id: 'LegalDocument' }
)
export type LegalText = Static<typeof LegalText>
