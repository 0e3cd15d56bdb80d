import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.js'
import { Names, OrderBy, OrderDirection } from './lists.js'
import { PageQuery } from './page.js'

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

export const TermsQuery = Type.Object({
  taxonomy: Names('Only terms of these taxonomies', 'category'),
  name: Names('Only terms with these names', 'Drama'),
  order_by: Type.Optional(OrderBy(['id', 'name', 'taxonomy', 'created_at', 'updated_at'], 'Field to order by, `created_at` by default')),
  order_direction: OrderDirection,
  ...PageQuery
})
export type TermsQuery = Static<typeof TermsQuery>
