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

/** Parameters with a default are optional for callers. `style` and `explode` belong to the parameter, not to its schema. */
const parameterForCallers = ({ schema: { style, explode, ...schema } = {}, ...parameter }: Parameter): Parameter => ({
  ...parameter,
  ...(style !== undefined && { style, explode }),
  ...(schema.default !== undefined && { required: false }),
  schema
})

/** Adds the meaning of each status, the headers of the answers, and an example from the demo catalogue. */
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
    ...(operation.parameters && { parameters: operation.parameters.map(parameterForCallers) }),
    ...(requestBody && { requestBody: withExample(requestBody, request) }),
    responses: Object.fromEntries(completed)
  }
}

export const completeDocument = (document: Document): object => {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, completeOperation(`${method.toUpperCase()} ${path}`, operation)])
    )
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}
