import { Type } from '@sinclair/typebox'

export const ImportQuery = Type.Object({
  prune: Type.Boolean({ default: false })
})

export const ImportCounts = Type.Object({
  added: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  removed: Type.Integer()
})
