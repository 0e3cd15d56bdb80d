import type { Test } from 'tap'
import { wireFields } from '../../schemas/content-fields.js'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { type Answer, unauthenticated } from '../helpers/answers.js'
import type { App } from '../helpers/app.js'
import { film } from '../helpers/documents.js'

/** The wire form of a moment: six fractional digits and a Z. */
const micro = (date: Date) => date.toISOString().replace('Z', '000Z')

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
  link: c.link,
  ...optionalFieldsOf(c)
})

/** These are on the wire only if the content has them. */
const optionalFieldsOf = (content: ContentDocument) =>
  Object.fromEntries(
    Object.keys(wireFields).flatMap(name =>
      content[name as keyof ContentDocument] == null ? [] : [[name, content[name as keyof ContentDocument]]]
    )
  )

export const badQueries: [query: string, field: string][] = [
  ...['0', '-1', '101', '1000', '1.5', '1.0', 'abc', '', '0x10', '1e2', '%2B5', '%205', '5%20', 'NaN', 'null', '9'.repeat(400)].map(
    (value): [string, string] => [`perPage=${value}`, 'perPage']
  ),
  ...['0', '-1', '1.5', 'abc', '', '0x1', '1e0', '%2B1', 'Infinity'].map((value): [string, string] => [`page=${value}`, 'page']),
  ['page=1&page=2', 'page'],
  ['perPage=5&perPage=5', 'perPage'],
  ['perPage[]=5', '']
]

export const emptyMeta = { page: 1, per_page: 20, next_page: false, prev_page: false, total_pages: 0, total_count: 0 }

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

/** Every error, byte for byte: section 7 of docs/interface-spec.md, and docs/interface.md. */
const errorBytes = (code: number, message: string) => JSON.stringify({ success: false, code, message })

/** A write that was made. */
export const assertDone = (t: Test, answer: Answer, code: number, what = '') => {
  const { statusCode, body, headers } = answer
  const { message } = answer.json()
  t.strictSame(
    {
      statusCode,
      body,
      isSaid: /\w/.test(message),
      isJson: /^application\/json/.test(String(headers['content-type'])),
      caching: headers['cache-control']
    },
    {
      statusCode: code,
      body: JSON.stringify({ success: true, code, 'message ': message, message }),
      isSaid: true,
      isJson: true,
      caching: 'private, no-store'
    },
    what
  )
}

/** An error of the catalogue, byte for byte. */
export const assertError = (t: Test, answer: Answer, status: number, code: number, message: string, what = '') => {
  t.strictSame([answer.statusCode, answer.body], [status, errorBytes(code, message)], what)
}

/** Contents that nobody may add, by the reason. */
export const closed = {
  deleted: film(20, { deleted_at: new Date('2024-01-01') }),
  ended: film(21, { end_date: new Date('2024-01-01') }),
  'not begun': film(22, { start_date: new Date('2098-01-01') })
}
/** What a POST refuses: the closed contents and some that never were. */
export const notToBeAdded = [
  ...Object.entries(closed).map(([what, { _id }]) => [what, _id] as const),
  ['unknown', 777] as const,
  ['far', 2 ** 53 - 1] as const
]

export const swedish = film(23, { countries_include: ['SE'] })
export const notInUs = film(24, { countries_exclude: ['US'] })

/** Which of these two contents may be added, by the country that the header names. */
export const countryCases = [
  ['SE', 23, true],
  ['se', 23, true],
  ['DE', 23, false],
  ['XX', 23, true],
  [undefined, 23, true],
  ['US', 24, false],
  ['us', 24, false],
  ['SE', 24, true],
  [undefined, 24, true]
] as const

type Asked = [method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: string]

/** Checks that each of these requests gets the 401 first, whatever else is wrong with it. */
export const wantToken = async (t: Test, app: App, token: string, asked: Asked[]) => {
  for (const authorization of [undefined, '', 'Bearer', 'Bearer x', 'Basic dTpw', `${token}x`])
    for (const [method, url, payload] of asked) {
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
      t.strictSame([answer.statusCode, answer.body], [401, unauthenticated], `${method} ${url} with ${authorization}`)
    }
}
