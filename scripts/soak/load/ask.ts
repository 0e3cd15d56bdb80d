import { once } from 'node:events'
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { tokenOf } from '../../bench/servers/tokens.js'

export interface Asked {
  method?: 'GET' | 'PUT' | 'POST'
  path: string
  /** The user whose token is sent. */
  user?: number
  headers?: Record<string, string>
  body?: object
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

const sent = (agent: Agent, port: number, { method = 'GET', path, user, headers: own, body }: Asked) => {
  const payload = body && JSON.stringify(body)
  const headers = {
    ...(user && { authorization: `Bearer ${tokenOf(user)}` }),
    ...own,
    ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) })
  }
  const open = agent instanceof TlsAgent ? tlsRequest : request
  return open({ agent, host: '127.0.0.1', port, method, path, headers }).end(payload)
}

/** Sends a request once, without retries. */
export const ask = async (agent: Agent, port: number, asked: Asked): Promise<Answer> => {
  const [response] = (await once(sent(agent, port, asked), 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

/** Sends a request and hangs up after `after` milliseconds. */
export const askAndHangUp = (agent: Agent, port: number, asked: Asked, after: number) => {
  const hanging = sent(agent, port, asked)
  hanging.on('error', () => undefined)
  hanging.on('response', response => response.resume().on('error', () => undefined))
  setTimeout(() => hanging.destroy(), after)
}
