import { type Static, Type } from '@sinclair/typebox'
import { Ids, maxValueLength, Names, OrderBy, OrderDirection } from './lists.js'
import { PageQuery } from './page.js'

export const orderFields = ['start_date', 'created_at', 'name', 'weight'] as const

export const ContentsQuery = Type.Object({
  type: Names('Types, for example `show`'),
  parent_id: Ids('Parent contents'),
  terms: Ids('Taxonomy terms'),
  ids: Ids('The contents themselves'),
  search: Type.Optional(
    Type.String({
      maxLength: maxValueLength,
      pattern: '[\\p{L}\\p{N}]',
      format: 'search',
      'x-rule': `a text of at most ${maxValueLength} characters and 8 words, with a letter or a digit`,
      description:
        'Words and beginnings of words, at most 8 and all of them, in name, title, description and keywords; case and accents do not matter'
    })
  ),
  order_by: Type.Optional(OrderBy(orderFields)),
  order_direction: OrderDirection,
  ...PageQuery
})
export type ContentsQuery = Static<typeof ContentsQuery>
