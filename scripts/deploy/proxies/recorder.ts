import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Received {
  method: string
  path: string
  /** All of them, as they came. */
  headers: [string, string][]
  /** Milliseconds between the head and the end of the body. */
  took: number
  bytes: number
}

const pairs = (raw: string[]) => raw.flatMap((name, n) => (n % 2 === 0 ? [[name.toLowerCase(), raw[n + 1]] as [string, string]] : []))

/**
 * A server in place of the service, which records what a proxy sends. It answers with what it received, but breaks the connection at
 * paths below /break, and at /stumble the first time.
 */
export const startRecorder = async () => {
  const received: Received[] = []
  /** When the last request of each open connection was answered. */
  const idleSince = new Map<Socket, number>()
  /** Milliseconds for which connections were idle before they were closed from outside. */
  const idled: number[] = []
  let bytesSoFar = 0
  let connections = 0

  const record = async (request: IncomingMessage) => {
    const began = performance.now()
    let bytes = 0
    for await (const chunk of request) {
      bytes += chunk.length
      bytesSoFar += chunk.length
    }
    const { method = '', url: path = '', rawHeaders } = request
    const entry = { method, path, headers: pairs(rawHeaders), took: performance.now() - began, bytes }
    received.push(entry)
    return entry
  }

  const server = createServer(async (request, response) => {
    if (request.url === '/ready') return response.end()
    const entry = await record(request).catch(() => undefined)
    if (!entry) return
    const isFirst = received.filter(({ path }) => path === entry.path).length === 1
    if (entry.path.startsWith('/break') || (isFirst && entry.path === '/stumble')) return request.socket.destroy()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(entry))
    idleSince.set(request.socket, performance.now())
  })
  server.keepAliveTimeout = 600_000
  server.on('connection', (socket: Socket) => {
    connections++
    socket.once('close', () => {
      const since = idleSince.get(socket)
      if (since !== undefined) idled.push(performance.now() - since)
      idleSince.delete(socket)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    received,
    /** The bytes of all bodies, including those that are still arriving. */
    bytesSoFar: () => bytesSoFar,
    /** How many connections were ever opened. */
    connections: () => connections,
    /** How many open connections have carried a request. */
    stillOpen: () => idleSince.size,
    /** Waits at most `within` milliseconds until all connections are closed. Resolves with how long each closed one was idle. */
    allClosed: async (within: number) => {
      const end = performance.now() + within
      while (idleSince.size > 0 && performance.now() < end) await sleep(100)
      return idled
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
export type Recorder = Awaited<ReturnType<typeof startRecorder>>
