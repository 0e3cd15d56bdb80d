import { type Calls, contentPath, type Stale } from './calls.js'
import type { components } from './schema.js'

type Schemas = components['schemas']

/** A row of a start page. Its `kind` says what its items are. */
export type HomeRow = Schemas['HomeRow']

export interface HomeOptions {
  /** Maximum number of elements in each row, 1 to 30. */
  items?: number
  /** The number of rails, 0 to 30. */
  rails?: number
  /** The `mname` of the collection whose rails to return. By default, those of all collections. */
  collection?: string
  /** False leaves what the user has watched out of the rows `popular` and `new` and the rails. Requires a signed-in user. */
  watched?: false
}

export const createDiscovery = (calls: Calls) => ({
  /** The rows of a start page. `missing` has the kinds of rows that the service could not read. */
  home: (query: HomeOptions = {}) =>
    // openapi-fetch's types leave out fields that are always null.
    calls.get('/home', { params: { query } }) as Promise<Schemas['Home'] & Stale>,

  /** The contents of a rail, by its `endpoint`. */
  railContents: (endpoint: string, { page = 1, perPage = 20 } = {}) => {
    const query = new URLSearchParams(new URL(endpoint).search)
    query.set('page', String(page))
    query.set('perPage', String(perPage))
    // Only the query is used, so the token is never sent to another host.
    return calls.get('/contents', { querySerializer: () => query.toString() })
  },

  /** Titles like that of a content item, such as the show of an episode. */
  similar: (contentId: number, { perPage = 20 } = {}) =>
    calls.get('/contents/{contentId}/similar', { params: { ...contentPath(contentId), query: { perPage } } }),

  /** What is on now and next, on these channels or on all of them. */
  scheduleNow: (...channel: string[]) => calls.get('/schedule/now', { params: { query: channel.length > 0 ? { channel } : {} } })
})
