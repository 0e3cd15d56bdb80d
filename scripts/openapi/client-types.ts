import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

/** Generates the types of the client from the text of the OpenAPI document. */
export const clientTypes = async (document: string) =>
  // Callers may omit parameters that have a default.
  COMMENT_HEADER + astToString(await openapiTS(document, { defaultNonNullable: false }))
