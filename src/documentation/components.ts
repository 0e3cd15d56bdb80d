import type { FastifySchema } from 'fastify'

interface Schema {
  allOf?: [Schema]
  $ref?: string
  type?: string
  content?: object
}

/** @fastify/swagger makes a component of a schema with an `$id`, unless it is the whole body or answer. */
const wrapSchema = (schema: Schema) => (schema.content || schema.$ref || schema.type === 'null' ? schema : { allOf: [schema] })

/** Makes components of the body and the answers of a route too, so that client generators know their names. */
export const wrapSchemas = ({ body, response, ...schema }: FastifySchema = {}) => {
  const answers = Object.entries((response ?? {}) as Record<string, Schema>).map(([status, answer]) => [status, wrapSchema(answer)])
  return { ...schema, ...(body !== undefined && { body: wrapSchema(body as Schema) }), response: Object.fromEntries(answers) }
}

/** Undoes what `wrapSchemas` did to a schema. */
export const unwrapSchema = ({ allOf: [schema] }: { allOf: [object] }) => schema
