import { type Static, Type } from '@sinclair/typebox'
import { Names, OrderBy, OrderDirection } from './lists.js'
import { PageQuery } from './page.js'

export const TermsQuery = Type.Object({
  taxonomy: Names('Taxonomies; all of them without it'),
  name: Names('Names of terms'),
  order_by: Type.Optional(
    OrderBy(['id', 'name', 'taxonomy', 'created_at', 'updated_at'], 'Field used for ordering; `created_at` without it')
  ),
  order_direction: OrderDirection,
  ...PageQuery
})
export type TermsQuery = Static<typeof TermsQuery>
