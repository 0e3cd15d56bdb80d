import { type Serializer, type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler'

/**
 * Compiles a serializer when it is first used, because compiling all of them doubles the time that an app takes to build.
 * Most are never used: errors and ready bytes have schemas for the documentation only.
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
