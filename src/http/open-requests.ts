import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** In bytes. The maximum that may wait in the process for callers to read it. Streams are not counted, and have bounds of their own. */
const mostUnread = 128 * 1024 * 1024

/** The requests of each connection that have not ended. */
const open = new WeakMap<Socket, Set<FastifyReply>>()
/** Requests whose response is being sent, so that only its end is left to happen, with the bytes of the response. */
const answering = new Map<FastifyReply, number>()
let unread = 0

/** Call it when the request begins, and `endRequest` when it has ended. Also ends the request if its caller hangs up. */
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
export const endRequest = (reply: FastifyReply) => {
  unread -= answering.get(reply) ?? 0
  answering.delete(reply)
  return open.get(reply.request.raw.socket)?.delete(reply)
}

/** Call it when the response begins to be sent. If the caller has hung up before, this ends the request. */
export const beginAnswer = (reply: FastifyReply, bytes = 0) => {
  unread += bytes - (answering.get(reply) ?? 0)
  answering.set(reply, bytes)
  if (reply.raw.destroyed) end(reply)
  else if (unread > mostUnread) cutLargest()
}

/** Closes the connection with the most unread bytes. */
const cutLargest = () => {
  const sums = new Map<Socket, number>()
  for (const [{ request }, bytes] of answering) sums.set(request.raw.socket, (sums.get(request.raw.socket) ?? 0) + bytes)
  const [largest] = [...sums].sort(([, one], [, other]) => other - one)
  largest?.[0].destroy()
}

const hangUp = (reply: FastifyReply) => {
  const { raw } = reply
  // Node closes only the response whose turn it is, and none of the pipelined ones behind it.
  if (raw.socket === null) {
    raw.destroy()
    raw.emit('close')
  }
  // Otherwise the handler is still running, and decides the status.
  if (answering.has(reply)) end(reply)
}

/** Fastify runs the `onResponse` hooks when the response has been sent or has failed. If the caller is gone, Node reports neither. */
const end = (reply: FastifyReply) => {
  if (endRequest(reply)) reply.raw.emit('error', new Error('The caller has hung up'))
}
