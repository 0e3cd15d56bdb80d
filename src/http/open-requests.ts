import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the response is being sent, so that nothing is left to happen but its end. */
    isAnswering: boolean
  }
}

/** The requests of each connection that have not ended. */
const open = new WeakMap<Socket, Set<FastifyReply>>()

/** Also ends the request if its caller hangs up. Call it when the request begins, and `endRequest` when it has ended. */
export const openRequest = (reply: FastifyReply) => {
  const { socket } = reply.request.raw
  const known = open.get(socket)
  if (known) {
    known.add(reply)
    return
  }
  const replies = new Set([reply])
  open.set(socket, replies)
  socket.once('close', () => {
    for (const reply of replies) hangUp(reply)
  })
}

/** Returns whether the request was open. */
export const endRequest = (reply: FastifyReply) => open.get(reply.request.raw.socket)?.delete(reply)

/** Call it when the response begins to be sent. If the caller has hung up before, this ends the request. */
export const beginAnswer = (reply: FastifyReply) => {
  reply.isAnswering = true
  if (reply.raw.destroyed) end(reply)
}

const hangUp = (reply: FastifyReply) => {
  const { raw } = reply
  // Node closes only the response whose turn it is, and none of the pipelined ones behind it.
  if (raw.socket === null) {
    raw.destroy()
    raw.emit('close')
  }
  // Otherwise its handler still runs, and decides about the status.
  if (reply.isAnswering) end(reply)
}

/** Fastify runs the hooks of `onResponse` once: when the response has been sent, or fails. Without a caller, Node reports neither. */
const end = (reply: FastifyReply) => {
  if (endRequest(reply)) reply.raw.emit('error', new Error('The caller has hung up'))
}
