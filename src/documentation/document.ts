import type { FastifySchema } from 'fastify'
import { examples } from '../../schemas/examples.js'
import { cacheable, headers, ownHeaders, referredHeaders, type Status, statuses } from './texts.js'

type Content = Record<string, { schema?: { allOf: [object] }; example?: unknown }>
interface Response {
  description: string
  headers?: object
  content?: Content
}
interface Parameter {
  in: string
  schema?: { default?: unknown; style?: string; explode?: boolean }
  example?: unknown
  required?: boolean
  style?: string
  explode?: boolean
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  /** Set by plugins/documentation.ts. */
  'x-optional-body'?: boolean
  responses?: Record<string, Response>
}
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

export const completeDocument = ({ paths, components, ...document }: Document): object => {
  const completed = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, completeOperation(`${method.toUpperCase()} ${path}`, operation)])
    )
  ])
  const responses = sharedResponses(Object.values(paths).flatMap(operations => Object.values(operations)))
  return { ...document, components: { ...components, headers, responses }, paths: Object.fromEntries(completed) }
}

const completeContent = <T extends { content?: Content }>(part: T, example?: unknown): T => {
  const schema = part.content?.['application/json']?.schema
  return schema
    ? { ...part, content: { 'application/json': { schema: unwrapSchema(schema), ...(example !== undefined && { example }) } } }
    : part
}

/**
 * Parameters with a default are optional for callers. `style` and `explode` belong to the parameter, not to its schema. The example
 * of an optional parameter is part of its schema, because the page would fill in an example of the parameter itself.
 */
const parameterForCallers = ({ schema: { style, explode, ...schema } = {}, example, ...parameter }: Parameter): Parameter => ({
  ...parameter,
  ...(style !== undefined && { style, explode }),
  ...(schema.default !== undefined && { required: false }),
  ...(parameter.in === 'path' && example !== undefined && { example }),
  schema: { ...schema, ...(parameter.in !== 'path' && example !== undefined && { examples: [example] }) }
})

/** Adds the meaning of the status, the headers of the response, and an example from the demo catalogue. */
const completeAnswer = (key: string, status: string, response: Response, isPublic: boolean): Response => {
  const { description } = statuses[status] as Status
  const names = [...(isPublic ? cacheable : []), ...(ownHeaders[key] ?? [])]
  return completeContent({ ...response, description, headers: referredHeaders(names) }, examples[key]?.answer)
}

const completeOperation = (key: string, documented: Operation) => {
  const { parameters, requestBody, 'x-optional-body': isBodyOptional, responses = {}, ...operation } = documented
  const completed = Object.entries(responses).map(([status, response]) => {
    const { name } = statuses[status] as Status
    return [status, name ? { $ref: `#/components/responses/${name}` } : completeAnswer(key, status, response, '304' in responses)]
  })
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map(parameterForCallers) }),
    ...(requestBody && { requestBody: completeContent({ ...requestBody, required: !isBodyOptional }, examples[key]?.request) }),
    responses: Object.fromEntries(completed)
  }
}

/** The responses that are the same in all operations, by name. */
const sharedResponses = (operations: Operation[]) => {
  const responses = Object.assign({}, ...operations.map(({ responses }) => responses)) as Record<string, Response>
  const shared = Object.entries(responses).flatMap(([status, response]) => {
    const { name, description, headers = [] } = statuses[status] as Status
    return name ? [[name, { ...response, description, headers: referredHeaders(headers) }]] : []
  })
  return Object.fromEntries(shared)
}

interface Schema {
  allOf?: [Schema]
  $ref?: string
  type?: string
  content?: object
}

/** @fastify/swagger makes a component of a schema with an `$id`, unless it is the whole body or response. */
const wrapSchema = (schema: Schema) => (schema.content || schema.$ref || schema.type === 'null' ? schema : { allOf: [schema] })

/** Makes components of the body and the responses of a route too, so that client generators know their names. */
export const wrapSchemas = ({ body, response, ...schema }: FastifySchema = {}) => {
  const answers = Object.entries((response ?? {}) as Record<string, Schema>).map(([status, answer]) => [status, wrapSchema(answer)])
  return { ...schema, ...(body !== undefined && { body: wrapSchema(body as Schema) }), response: Object.fromEntries(answers) }
}

/** Undoes what `wrapSchemas` did to a schema. */
const unwrapSchema = ({ allOf: [schema] }: { allOf: [object] }) => schema

interface Node {
  'x-published'?: object
  type?: unknown
  format?: string
}

/** Keywords that only the service's own validator knows. */
const ownKeywords = ['x-rule', 'x-upper-case']

/** Without a format, client generators choose types that are too small for ids and too coarse for seconds. */
const formatOf = ({ type, format }: Node) => {
  const types = [type].flat()
  if (format !== undefined || types.includes('string')) return format
  if (types.includes('integer')) return 'int64'
  return types.includes('number') ? 'double' : undefined
}

/** Gives all schemas a form that client generators can handle. */
export const asPublished = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(asPublished)
  if (typeof node !== 'object' || node === null) return node
  const { 'x-published': form, ...exact } = node as Node
  if (form) return asPublished(form)
  const parts = Object.entries(exact).filter(([keyword]) => !ownKeywords.includes(keyword))
  const format = formatOf(exact)
  return { ...Object.fromEntries(parts.map(([key, part]) => [key, asPublished(part)])), ...(format !== undefined && { format }) }
}
