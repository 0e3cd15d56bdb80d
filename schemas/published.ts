import { type TSchema, Type } from '@sinclair/typebox'

/**
 * Gives a schema another form in the OpenAPI document, because client generators cannot handle its exact form. The service and the types
 * of its own client use the exact form.
 */
export const published = <T extends TSchema>(exact: T, form: object): T => ({ ...exact, 'x-published': form })

/** Refers to a named schema from a published form. The document contains the schema only if an exact form uses it, too. */
export const component = ({ $id }: TSchema) => Type.Unsafe({ $ref: `#/components/schemas/${$id}` })
