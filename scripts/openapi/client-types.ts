import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

/** Generates the types of the client from the exact OpenAPI document. */
export const clientTypes = async (document: object) =>
  // Callers may omit parameters that have a default.
  COMMENT_HEADER + astToString(await openapiTS(JSON.stringify(document), { defaultNonNullable: false }))
