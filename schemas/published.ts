import type { TSchema } from '@sinclair/typebox'

/**
 * Gives a schema another form in the OpenAPI document, because generators of clients cannot handle its exact form. The service and
 * the types of its own client have the exact form.
 */
export const published = <T extends TSchema>(exact: T, form: object): T => ({ ...exact, 'x-published': form })
