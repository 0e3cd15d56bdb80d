import type { ContentDocument } from '../src/data/contents.js'
import type { HistoryDocument } from '../src/data/history.js'
import { content } from './catalogue-data.js'
import { type App, addUser, signIn } from './helper.js'

/** The wire form of a moment: six fractional digits and a Z. */
export const micro = (date: Date) => date.toISOString().replace('Z', '000Z')

/** A Content with the fields of section 2.2 of docs/interface-spec.md, in their order. */
export const wire = (c: ContentDocument) => ({
  id: c._id,
  parent_id: c.parent_id,
  type: c.type,
  handler: c.handler,
  handler_type: c.handler_type,
  handler_id: c.handler_id,
  name: c.name,
  title: c.title,
  description: c.description,
  weight: c.weight,
  thumbnail: c.thumbnail,
  thumbnail_handler: c.thumbnail_handler,
  keywords: c.keywords,
  pricing: c.pricing,
  payments_asset_id: c.payments_asset_id,
  purchaseable: c.purchaseable,
  start_date: micro(c.start_date),
  end_date: c.end_date && micro(c.end_date),
  countries_include: c.countries_include,
  countries_exclude: c.countries_exclude,
  created_at: micro(c.created_at),
  updated_at: micro(c.updated_at),
  currency: c.currency,
  price: c.price,
  price_formatted: c.price_formatted,
  plans: c.plans,
  link: c.link
})

/** A content in which every field of the wire holds a value. */
export const rich = (id: number, given: Partial<ContentDocument> = {}) =>
  content(id, {
    title: { en: 'The "Long" Ridge', de: 'Der lange Grät \u2028 \u{1F3D4}' },
    description: { en: 'Up\nand down' },
    weight: -3,
    keywords: 'ridge, hike',
    pricing: { tier: 'gold' },
    payments_asset_id: 'asset-9',
    purchaseable: 1,
    end_date: new Date('2099-01-01T00:00:00.000Z'),
    countries_include: ['SE', 'DE'],
    countries_exclude: ['US'],
    currency: 'EUR',
    price: 4.99,
    price_formatted: '4,99 €',
    plans: { '12': { id: '12', vendor_name: 'monthly' } },
    ...given
  })

export const film = (id: number, given: Partial<ContentDocument> = {}) => content(id, { type: 'film', ...given })
export const episode = (id: number, parent_id: number, given: Partial<ContentDocument> = {}) =>
  content(id, { type: 'episode', parent_id, ...given })

/** A user who has signed in, and what that user asks. */
export const viewerOf = async (app: App, more: Record<string, string> = {}) => {
  const user = await addUser(app)
  const token = await signIn(app, user)
  const send =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    (url: string, payload?: object | string | undefined, headers: Record<string, string> = {}) =>
      app.inject({ method, url, headers: { ...token, ...more, ...headers }, ...(payload === undefined ? {} : { payload }) })
  return { id: user._id, headers: token, get: send('GET'), post: send('POST'), put: send('PUT'), remove: send('DELETE') }
}
export type Viewer = Awaited<ReturnType<typeof viewerOf>>
export type Answer = Awaited<ReturnType<Viewer['get']>>

export const collectionOf = (answer: Answer) => {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json().data.collection
}

/** Reports progress and gives the id of the element. */
export const watch = async (
  viewer: Viewer,
  content_id: number,
  progress: { time?: number; percentage?: number; observed_at?: string } = {}
) => {
  const answer = await viewer.post('/history', { content_id, ...progress })
  const id = /\/history\/([0-9a-f]{24})$/.exec(String(answer.headers.location))?.[1]
  if (answer.statusCode !== 201 || !id) throw new Error(`${answer.statusCode} ${answer.body} ${answer.headers.location}`)
  return id
}

export const historyDocument = (
  given: Omit<HistoryDocument, 'time' | 'percentage' | 'created_at'> & Partial<HistoryDocument>
): HistoryDocument => ({
  time: 60,
  percentage: 10,
  created_at: given.updated_at,
  ...given
})

/** Comes back when the clock of this process shows another millisecond. */
export const tick = async () => {
  const now = Date.now()
  while (Date.now() === now) await new Promise(setImmediate)
}

export const emptyMeta = { page: 1, per_page: 20, next_page: false, prev_page: false, total_pages: 0, total_count: 0 }

/** Every error, byte for byte: section 7 of docs/interface-spec.md, and docs/interface.md. */
export const errorBytes = (code: number, message: string) => JSON.stringify({ success: false, code, message })
export const unauthenticated = JSON.stringify({ success: false, message: 'Unauthenticated.' })

export const badQueries: [query: string, field: string][] = [
  ...['0', '-1', '101', '1000', '1.5', '1.0', 'abc', '', '0x10', '1e2', '%2B5', '%205', '5%20', 'NaN', 'null', '9'.repeat(400)].map(
    (value): [string, string] => [`perPage=${value}`, 'perPage']
  ),
  ...['0', '-1', '1.5', 'abc', '', '0x1', '1e0', '%2B1', 'Infinity'].map((value): [string, string] => [`page=${value}`, 'page']),
  ['page=1&page=2', 'page'],
  ['perPage=5&perPage=5', 'perPage'],
  ['perPage[]=5', '']
]

/** Every page of a list, one after the other. */
export const allPages = async (viewer: Viewer, path: string, perPage: number) => {
  const pages = []
  for (let page: number | false = 1; page !== false; ) {
    const answer = await viewer.get(`${path}?perPage=${perPage}&page=${page}`)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    const { collection, meta } = answer.json().data
    pages.push({ collection, meta })
    page = meta.next_page
  }
  return pages
}

/** What `meta` says of a list of five elements, at all its boundaries. */
export const metaOfFive = [
  { page: 1, per_page: 1, next_page: 2, prev_page: false, total_pages: 5, total_count: 5 },
  { page: 4, per_page: 1, next_page: 5, prev_page: 3, total_pages: 5, total_count: 5 },
  { page: 5, per_page: 1, next_page: false, prev_page: 4, total_pages: 5, total_count: 5 },
  { page: 6, per_page: 1, next_page: false, prev_page: 5, total_pages: 5, total_count: 5 },
  { page: 1, per_page: 2, next_page: 2, prev_page: false, total_pages: 3, total_count: 5 },
  { page: 2, per_page: 2, next_page: 3, prev_page: 1, total_pages: 3, total_count: 5 },
  { page: 3, per_page: 2, next_page: false, prev_page: 2, total_pages: 3, total_count: 5 },
  { page: 4, per_page: 2, next_page: false, prev_page: 3, total_pages: 3, total_count: 5 },
  { page: 5, per_page: 2, next_page: false, prev_page: 3, total_pages: 3, total_count: 5 },
  { page: 1, per_page: 4, next_page: 2, prev_page: false, total_pages: 2, total_count: 5 },
  { page: 1, per_page: 5, next_page: false, prev_page: false, total_pages: 1, total_count: 5 },
  { page: 2, per_page: 5, next_page: false, prev_page: 1, total_pages: 1, total_count: 5 },
  { page: 1, per_page: 100, next_page: false, prev_page: false, total_pages: 1, total_count: 5 },
  { page: 9_007_199_254_740_991, per_page: 100, next_page: false, prev_page: 1, total_pages: 1, total_count: 5 }
]
