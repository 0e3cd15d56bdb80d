import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../scripts/root.js'

export interface Schema {
  description?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  default?: unknown
}
export interface Parameter {
  name: string
  description?: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  style?: string
  explode?: boolean
  example?: unknown
  examples?: object
  schema: Schema & { examples?: unknown[]; minimum?: number; maximum?: number; maxItems?: number }
}
export interface Answer {
  headers: object
  content?: Record<string, { schema: Schema; example?: object }>
}
export interface Operation {
  operationId: string
  tags: string[]
  security: object[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Answer>
}
export interface Document {
  servers: { url: string }[]
  security: object[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer>; headers: Record<string, object> }
}

/** The text of the committed OpenAPI document. */
export const committedText = () => readFile(join(root, 'openapi.json'), 'utf8')

/** Its answer does not end. test/routes/changes-stream.test.ts reads it. */
export const endless = '/changes/stream'

/** An OpenAPI document with all references replaced by what they refer to. */
export const dereferenced = (document: object): Document => {
  const at = (reference: string) =>
    reference
      .split('/')
      .slice(1)
      .reduce((node: unknown, key) => (node as Record<string, unknown>)[key], document)
  const inPlace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inPlace)
    if (typeof node !== 'object' || node === null) return node
    if ('$ref' in node) return inPlace(at(String(node.$ref)))
    return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, inPlace(part)]))
  }
  return inPlace(document) as Document
}
