import type { FastifySchema } from 'fastify'

interface Schema {
  allOf?: [Schema]
  $ref?: string
  type?: string
  content?: object
}

/** @fastify/swagger makes a component of what has an `$id`, unless it is the whole body or answer. */
const wrapped = (schema: Schema) => (schema.content || schema.$ref || schema.type === 'null' ? schema : { allOf: [schema] })

/** Makes components of the body and the answers of a route too, so that generators of clients know their names. */
export const withComponents = ({ body, response, ...schema }: FastifySchema = {}) => {
  const answers = Object.entries((response ?? {}) as Record<string, Schema>).map(([status, answer]) => [status, wrapped(answer)])
  return { ...schema, ...(body !== undefined && { body: wrapped(body as Schema) }), response: Object.fromEntries(answers) }
}

/** Undoes what `withComponents` did to a schema. */
export const unwrapped = (schema: Schema) => schema.allOf?.[0] ?? schema
