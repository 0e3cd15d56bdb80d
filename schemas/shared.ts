import { Failure, FieldError, Invalid, TooManyStreams, Unauthenticated } from './common.js'

/** The schemas that others refer to by `$ref`, in the validator and in the OpenAPI document. */
export const sharedSchemas = [FieldError, Failure, Invalid, TooManyStreams, Unauthenticated]
