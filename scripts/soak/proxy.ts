import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from './processes/service.js'

const lookEvery = 200

/** A balancer that sends each request to the next service that is ready, without retries. */
export const startProxy = async (services: Service[]) => {
  const agent = new Agent({ keepAlive: true })
  let ready: Service[] = []
  let turn = 0
  const look = async () => {
    const are = await Promise.all(services.map(service => service.isReady()))
    ready = services.filter((_, i) => are[i])
  }
  await look()
  const looking = setInterval(look, lookEvery)

  const server = createServer((incoming, outgoing) => {
    const service = ready[turn++ % ready.length]
    if (!service) return outgoing.writeHead(502).end('Nobody is ready')
    const { method, url, headers } = incoming
    const passed = request({ agent, host: '127.0.0.1', port: service.port, method, path: url, headers })
    passed.on('response', answer => {
      // These headers only concern the connection to the service.
      const { connection, 'keep-alive': _, ...passedOn } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, passedOn)
      answer.pipe(outgoing)
    })
    passed.on('error', ({ message }) => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end(message)
    })
    return incoming.pipe(passed)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      clearInterval(looking)
      server.close()
      server.closeAllConnections()
      agent.destroy()
    }
  }
}
