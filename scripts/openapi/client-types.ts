import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

/** The types of the client, from the text of the OpenAPI document. */
export const clientTypes = async (document: string) =>
  // A parameter with a default may be left out by those who call.
  COMMENT_HEADER + astToString(await openapiTS(document, { defaultNonNullable: false }))
