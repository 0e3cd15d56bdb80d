import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from './common.js'
import { OneOf } from './content-fields.js'
import { Ids, Search } from './lists.js'
import { PageQuery } from './page.js'

export const creditRoles = ['actor', 'director', 'writer', 'creator', 'producer', 'composer', 'presenter', 'guest'] as const

export const Person = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ examples: ['Ines Halvorsen'] }),
    image: Nullable(Type.String({ description: 'URL of a picture, or null', examples: ['https://images.example.com/people/71.jpg'] }))
  },
  { $id: 'Person' }
)
export type Person = Static<typeof Person>

/** A person in the details of an item. */
export const Credit = Type.Object(
  {
    person: Person,
    role: OneOf(creditRoles),
    character: Nullable(Type.String({ description: 'The character that an actor plays', examples: ['Captain Mora'] }))
  },
  { $id: 'Credit' }
)
export type Credit = Static<typeof Credit>

export const PeopleQuery = Type.Object({
  ids: Ids('Only these people', 71),
  search: Search('Finds people who have all of them in their names, best matches first', 'halvorsen'),
  ...PageQuery
})
export type PeopleQuery = Static<typeof PeopleQuery>
