import { type Static, Type } from '@sinclair/typebox'
import { Direction, Ids, Names, OrderBy, Search, TitleId } from './lists.js'
import { PageQuery } from './page.js'

export const orderFields = ['start_date', 'created_at', 'name', 'weight', 'position', 'year', 'popularity'] as const

export const ContentsQuery = Type.Object({
  type: Names('Only items of these types', 'show'),
  parent_id: Ids('Only children of these items', 1188),
  terms: Ids('Only items with any of these taxonomy terms', 2),
  ids: Ids('Only these items', 1405),
  year: Ids('Only items of these years', 2024),
  title: TitleId('Only the items of this title: the show with its seasons and episodes, or the film. The id of any of them is accepted'),
  people: Ids('Only items that credit any of these people', 71),
  search: Search(
    'Finds items that have all of them in their names, keywords, description or the names of their terms and people, best matches first',
    'harbour'
  ),
  order_by: Type.Optional(
    OrderBy(
      orderFields,
      "Field to order by, `weight` by default. With `title`, `position` is the order of the show: season by season with its episodes. `popularity` puts the titles with the most recent viewers in the caller's country first"
    )
  ),
  watched: Type.Optional(
    Type.Boolean({
      examples: [false],
      description:
        'Only items that the user has watched, or only the others. Requires a token. A show or season is watched if all of its available episodes are'
    })
  ),
  order_direction: Type.Optional(Direction({ description: 'Direction of the order, `DESC` by default. `ASC` for `position`' })),
  ...PageQuery
})
export type ContentsQuery = Static<typeof ContentsQuery>

/** The parameters that a rail may have, which must not depend on the viewer. */
export const RailQuery = Type.Omit(ContentsQuery, ['watched'])
export type RailQuery = Static<typeof RailQuery>
