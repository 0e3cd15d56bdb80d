import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { Test } from 'tap'
import { type EventType, endpointsOf, newEndpointId } from '../../src/webhooks/index.js'
import { type App, type BuildOptions, build } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { replicaSet } from '../helpers/replica-set.js'

export interface Delivery {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
  at: number
  headers: IncomingMessage['headers']
  body: string
}

type Respond = (response: ServerResponse, delivery: Delivery, request: IncomingMessage) => void
export const accept: Respond = response => void response.writeHead(204).end()
export const status =
  (code: number, headers = {}): Respond =>
  response =>
    void response.writeHead(code, headers).end()

/** A receiver of webhooks that keeps what it was sent. */
export const receiver = async (t: Test, respond: Respond = accept) => {
  const deliveries: Delivery[] = []
  let sockets = 0
  const state = { respond }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const delivery = { id: String(request.headers['webhook-id']), ...JSON.parse(body), at: Date.now(), headers: request.headers, body }
    deliveries.push(delivery)
    state.respond(response, delivery, request)
  })
  server.on('connection', () => sockets++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks?key=hidden`,
    port,
    deliveries,
    answer: (next: Respond) => {
      state.respond = next
    },
    connections: () => sockets,
    of: (type: string) => deliveries.filter(one => one.type === type),
    /** Types with what they are about, in their order. */
    seen: () => deliveries.map(({ type, data: { user_id, account_id, at, ...data } }) => [type, ...Object.values(data)].join(' '))
  }
}
export type Receiver = Awaited<ReturnType<typeof receiver>>

/** Whether the library of the specification accepts a delivery. */
export const isGenuine = (secret: string, { body, headers }: Delivery) => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

export const buildOnSet = async (t: Test, options: Omit<BuildOptions, 'url'> = {}) => {
  const { url } = await replicaSet(t, 1)
  return { url, app: await build(t, { ...options, url }) }
}

/** What happens from now on is sent to it. */
export const addEndpoint = async (app: App, { url }: { url: string }, events?: EventType[]) => {
  const id = newEndpointId()
  const db = databaseOf(app)
  const secret = await endpointsOf(db).add(id, { url, events, isPrivate: true })
  return { id, secret }
}

export const metric = async (app: App, name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(await app.metricsText())?.[1])
