import { type Serializer, type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler'

/**
 * Makes the serializer of an answer when it is first needed. Most never are, since errors and ready bytes have schemas for
 * the documentation alone; to compile them all was half of what an app took to build.
 */
export const buildSerializer: SerializerFactory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options)
  return route => {
    let serialize: Serializer | undefined
    return answer => {
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}
