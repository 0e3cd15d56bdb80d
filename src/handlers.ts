import type { FastifyReply, RouteOptions } from 'fastify'

/** Puts something around the handler of a route. It keeps its name, by which the document and profiles call the operation. */
export const aroundHandler = (route: RouteOptions, around: (ask: () => unknown, reply: FastifyReply) => unknown) => {
  const { handler } = route
  const surrounded: typeof handler = function (request, reply) {
    return around(() => handler.call(this, request, reply), reply)
  }
  route.handler = Object.defineProperty(surrounded, 'name', { value: handler.name })
}
