import type { Test } from 'tap'
import type { App } from './app.js'

export type Answer = Awaited<ReturnType<App['inject']>>

/** Sends a body as it is. */
export const post = (
  app: App,
  url: string,
  payload: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' }
) => app.inject({ method: 'POST', url, headers, payload })

export const malformed = '{"email":'

export const idsOf = (response: { json: () => { data: { collection: { id: number }[] } } }) =>
  response.json().data.collection.map(({ id }) => id)

export const collectionOf = (answer: Answer) => {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json().data.collection
}

/** Checks that a query is refused and its field named. */
export const assertRefused = (t: Test, response: { statusCode: number; json: () => unknown }, field: string, what: string) => {
  const body = { success: false, code: 400, message: new RegExp(`\\b${field}\\b`), errors: [{ field, message: /\w/ }] }
  t.match({ statusCode: response.statusCode, body: response.json() }, { statusCode: 400, body }, what)
}

export const notFound = { success: false, code: 404, message: 'Resource not found' }
export const unauthenticated = JSON.stringify({ success: false, message: 'Unauthenticated.' })

const json = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Failed = Pick<Answer, 'statusCode' | 'headers' | 'body'>

/** The parts of an error from src/errors.ts that tests compare. */
export const failureOf = ({ statusCode, headers, body }: Failed, message?: string) => {
  const { errors, code, success, message: said, ...more } = json(body) ?? {}
  const isJson = /^application\/json/.test(String(headers['content-type']))
  const isSaid = message === undefined ? /\w+ \w+/.test(said) : said === message
  return { statusCode, isJson, code, success, isSaid, more }
}

export const expectedFailure = (status: number) => ({
  statusCode: status,
  isJson: true,
  code: status,
  success: false,
  isSaid: true,
  more: {}
})

export const assertFailure = (t: Test, response: Failed, status: number, what: string, message?: string) =>
  t.strictSame(failureOf(response, message), expectedFailure(status), `${what}: ${response.body.slice(0, 200)}`)
