import { type TSchema, Type } from '@sinclair/typebox'

/**
 * Gives a schema another form in the OpenAPI document, because client generators cannot handle its exact form. The service and
 * the types of its own client have the exact form.
 */
export const published = <T extends TSchema>(exact: T, form: object): T => ({ ...exact, 'x-published': form })

/** A named schema within a published form. It has to be part of an exact form too. */
export const component = ({ $id }: TSchema) => Type.Unsafe({ $ref: `#/components/schemas/${$id}` })
