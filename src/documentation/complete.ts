import { examples } from '../../schemas/examples.js'
import { cacheable, ownHeaders, requestId, type Status, statuses } from './statuses.js'

type Content = Record<string, { schema?: object; example?: unknown }>
interface Response {
  description: string
  headers?: object
  content?: Content
}
interface Parameter {
  schema?: { default?: unknown; style?: string; explode?: boolean }
  required?: boolean
  style?: string
  explode?: boolean
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses?: Record<string, Response>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

const withExample = <T extends { content?: Content }>(part: T, example: unknown): T => {
  const json = part.content?.['application/json']
  return json && example !== undefined ? { ...part, content: { ...part.content, 'application/json': { ...json, example } } } : part
}

/** A parameter with a default is there for a handler always, but who calls may leave it out. How a list is written is a matter of the parameter. */
const asCalled = ({ schema: { style, explode, ...schema } = {}, ...parameter }: Parameter): Parameter => ({
  ...parameter,
  ...(style !== undefined && { style, explode }),
  ...(schema.default !== undefined && { required: false }),
  schema
})

/** What holds for every operation: what a status means and the headers of its answers; and an answer of the demo catalogue. */
const completeOperation = (key: string, { requestBody, responses = {}, ...operation }: Operation): Operation => {
  const { request, answer } = examples[key] ?? {}
  const isPublic = '304' in responses
  const completed = Object.entries(responses).map(([status, response]) => {
    const isSuccess = status < '400'
    const { description, headers: own } = statuses[status] as Status
    const headers = {
      ...requestId,
      ...(isPublic && isSuccess && cacheable),
      ...(isSuccess && ownHeaders[key]),
      ...own
    }
    return [status, withExample({ ...response, description, headers }, isSuccess ? answer : undefined)]
  })
  return {
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map(asCalled) }),
    ...(requestBody && { requestBody: withExample(requestBody, request) }),
    responses: Object.fromEntries(completed)
  }
}

export const complete = (document: Document): object => {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, completeOperation(`${method.toUpperCase()} ${path}`, operation)])
    )
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}
