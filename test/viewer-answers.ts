import type { Test } from 'tap'
import type { App } from './helper.js'
import { type Answer, errorBytes, film, unauthenticated } from './viewer-data.js'

/** A write that was made. */
export const done = (t: Test, answer: Answer, code: number, what = '') => {
  const { message } = answer.json()
  t.equal(answer.statusCode, code, what)
  t.match(message, /\w/, what)
  t.equal(answer.body, JSON.stringify({ success: true, code, 'message ': message, message }), what)
  t.match(answer.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' }, what)
}

/** An error of the catalogue, byte for byte. */
export const refused = (t: Test, answer: Answer, status: number, code: number, message: string, what = '') => {
  t.equal(answer.statusCode, status, what)
  t.equal(answer.body, errorBytes(code, message), what)
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
/** Who may add which of these two, by the country that the header names. */
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

/** Each of these, whatever else is wrong with it, is told first that it needs a token. */
export const wantToken = async (t: Test, app: App, token: string, asked: Asked[]) => {
  for (const authorization of [undefined, '', 'Bearer', 'Bearer x', 'Basic dTpw', `${token}x`])
    for (const [method, url, payload] of asked) {
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
      t.strictSame([answer.statusCode, answer.body], [401, unauthenticated], `${method} ${url} with ${authorization}`)
    }
}
