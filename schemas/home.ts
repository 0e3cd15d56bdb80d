import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Ok, Timestamp } from './common.js'
import { Content } from './content.js'
import { ContinueWatchingCard, ResumePosition } from './continue-watching.js'
import { HistoryProgress } from './history.js'
import { maxValueLength } from './lists.js'
import { component, published } from './published.js'
import { Recommendation, SimilarContent } from './recommendation.js'
import { WatchlistElement } from './watchlist.js'

const homeKinds = ['continue_watching', 'recommended', 'because', 'watchlist', 'popular', 'new', 'rail'] as const
export type HomeKind = (typeof homeKinds)[number]

/** The maximum number of elements in a row, and of rails. */
export const longestShelf = 30

export const HomeQuery = Type.Object({
  items: Type.Integer({ minimum: 1, maximum: longestShelf, default: 10, description: 'Maximum number of elements in each row' }),
  rails: Type.Integer({ minimum: 0, maximum: longestShelf, default: 10, description: 'Maximum number of rails' }),
  collection: Type.Optional(
    Type.String({
      maxLength: maxValueLength,
      description:
        'The `mname` of the collection whose rails to return. By default, those of all collections in turn. An unknown one has no rails',
      examples: ['home']
    })
  ),
  watched: Type.Optional(
    published(
      Type.Unsafe<false>({
        type: 'boolean',
        const: false,
        examples: [false],
        description: '`false` leaves what the user has watched out of `popular`, `new` and the rails. Requires a token'
      }),
      { type: 'boolean' }
    )
  )
})
export type HomeQuery = Static<typeof HomeQuery>

const HomeBecause = Type.Object({ content_id: Type.Integer(), name: Type.String() }, { $id: 'HomeBecause' })

/**
 * A published item has the fields of all kinds, because client generators cannot handle unions of objects, not even with a discriminator:
 * see docs/decisions/032-document-for-generators.md.
 */
const HomeItem = published(Type.Object({ content: Content }, { $id: 'HomeItem' }), {
  type: 'object',
  required: ['content'],
  properties: {
    content: component(Content),
    reason: { description: 'A string in a card, a `RecommendationReason` in a recommendation' },
    recent: { type: 'boolean', description: 'In recommended and similar titles' },
    history: { anyOf: [component(HistoryProgress), { type: 'null' }], description: 'In a card' },
    resume: component(ResumePosition),
    updated_at: { ...Timestamp, description: 'In a card and in the watchlist' },
    is_new: { type: 'boolean', description: 'In a card whose reason is `next`' },
    id: { type: 'integer', description: 'In the watchlist' },
    user_id: { type: 'integer', description: 'In the watchlist' },
    content_id: { type: 'integer', description: 'In the watchlist' },
    video_id: { type: 'string', description: 'In the watchlist' },
    created_at: { ...Timestamp, description: 'In the watchlist' }
  }
})

const RecommendedItem = Type.Composite([HomeItem, Type.Pick(Recommendation, ['recent', 'reason'])])
const SimilarItem = Type.Composite([HomeItem, Type.Pick(SimilarContent, ['recent'])])

const none = Type.Null()
const path = Type.String()
const row = <K extends HomeKind, I extends TSchema, N extends TSchema, B extends TSchema, M extends TSchema>(
  kind: K,
  items: I,
  { name, because, more }: { name: N; because: B; more: M }
) => Type.Object({ kind: Type.Literal(kind), name, because, more, items: Type.Array(items) })

export const HomeRow = published(
  Type.Union(
    [
      row('continue_watching', ContinueWatchingCard, { name: none, because: none, more: path }),
      row('recommended', RecommendedItem, { name: none, because: none, more: path }),
      row('because', SimilarItem, { name: none, because: HomeBecause, more: path }),
      row('watchlist', WatchlistElement, { name: none, because: none, more: path }),
      row('popular', HomeItem, { name: none, because: none, more: none }),
      row('new', HomeItem, { name: none, because: none, more: path }),
      row('rail', HomeItem, { name: Type.String(), because: none, more: path })
    ],
    { $id: 'HomeRow' }
  ),
  {
    type: 'object',
    required: ['kind', 'name', 'because', 'more', 'items'],
    properties: {
      kind: { type: 'string', enum: homeKinds },
      name: { type: ['string', 'null'], description: 'The name of a rail' },
      because: {
        anyOf: [component(HomeBecause), { type: 'null' }],
        description: 'In a row of the kind `because`: what the user watched or liked'
      },
      more: { type: ['string', 'null'], description: 'The path of the whole list. Null for `popular`' },
      items: { type: 'array', items: component(HomeItem) }
    }
  }
)
export type HomeRow = Static<typeof HomeRow>

const Home = Type.Object(
  {
    rows: Type.Array(HomeRow),
    missing: Type.Array(Type.Unsafe<HomeKind>({ type: 'string', enum: [...homeKinds] }), {
      description: 'The kinds of rows that could not be read, because the database is unavailable'
    })
  },
  { $id: 'Home', description: 'The rows of a start page' }
)
export type Home = Static<typeof Home>

export const HomeAnswer = Ok(Home)
export type HomeAnswer = Static<typeof HomeAnswer>
