import { type Static, Type } from '@sinclair/typebox'

export const ImportQuery = Type.Object({
  prune: Type.Boolean({
    default: false,
    description:
      'Treats the lines as the complete list of their kind: contents that they lack are marked as deleted, everything else of the catalogue is removed'
  })
})

export const ImportCounts = Type.Object({
  added: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  removed: Type.Integer({ description: 'With `prune`: what was removed, or marked as deleted' })
})
export type ImportCounts = Static<typeof ImportCounts>

export const ImportRefused = Type.Object(
  {
    success: Type.Literal(false),
    code: Type.Integer(),
    message: Type.String({ examples: ['line 3: name is required'] }),
    errors: Type.Array(Type.Object({ line: Type.Optional(Type.Integer()), field: Type.String(), message: Type.String() }))
  },
  { $id: 'ImportRefused', description: 'The first hundred errors of the lines. Nothing was written' }
)
