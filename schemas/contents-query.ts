import { type Static, Type } from '@sinclair/typebox'
import { Direction, Ids, maxValueLength, Names, OrderBy, TitleId } from './lists.js'
import { PageQuery } from './page.js'
import { published } from './published.js'

/** Each word takes time, and nobody types more. */
export const maxWords = 8

export const orderFields = ['start_date', 'created_at', 'name', 'weight', 'position', 'year'] as const

export const ContentsQuery = Type.Object({
  type: Names('Only items of these types', 'show'),
  parent_id: Ids('Only children of these items', 1188),
  terms: Ids('Only items with any of these taxonomy terms', 2),
  ids: Ids('Only these items', 1405),
  year: Ids('Only items of these years', 2024),
  title: TitleId('Only the items of this title: the show with its seasons and episodes, or the film. The id of any of them will do'),
  search: Type.Optional(
    // The regular expressions of some client languages lack `\p`.
    published(
      Type.String({
        maxLength: maxValueLength,
        pattern: '[\\p{L}\\p{N}]',
        format: 'search',
        'x-rule': `a string of at most ${maxValueLength} characters and ${maxWords} words, with a letter or a digit`,
        description: `Up to ${maxWords} words or beginnings of words, with at least one letter or digit. Finds contents that have all of them in their names, keywords, description or the names of their terms, the best matches first. Ignores case and accents, and a typo in words of 5 letters, or two in words of 9, if fewer than 10 contents match without`,
        examples: ['harbour']
      }),
      Type.String({ minLength: 1, maxLength: maxValueLength })
    )
  ),
  order_by: Type.Optional(
    OrderBy(
      orderFields,
      'Field to order by, `weight` by default. With `title`, `position` is the order of the show: season by season with its episodes'
    )
  ),
  order_direction: Type.Optional(Direction({ description: 'Direction of the order, `DESC` by default. `ASC` for `position`' })),
  ...PageQuery
})
export type ContentsQuery = Static<typeof ContentsQuery>
