import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentFor, type RunningProxy } from './program.js'

export interface Sent {
  method?: string
  path: string
  headers?: OutgoingHttpHeaders
  /** Sent piece by piece. Without a `content-length` among the headers, as chunks. */
  body?: Iterable<string | Buffer> | AsyncIterable<string | Buffer>
  /** The address of this machine that the request comes from. */
  from?: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends requests to a proxy over TLS. */
export const sender = (proxy: RunningProxy) => {
  const agent = agentFor(proxy.certificate)
  const send = async ({ method = 'GET', path, headers = {}, body = [], from = '127.0.0.1' }: Sent): Promise<Answer> => {
    const options = { agent, host: '127.0.0.1', port: proxy.https, localAddress: from, method, path }
    const outgoing = request({ ...options, headers: { host: 'localhost', ...headers } })
    const answered = once(outgoing, 'response').catch(({ message }: Error) => {
      throw new Error(`${method} ${path}: ${message}`)
    })
    // A proxy may answer before it has the whole body. The rest is then not sent.
    let isOver = false
    answered
      .catch(() => undefined)
      .finally(() => {
        isOver = true
      })
    for await (const piece of body) {
      if (isOver) break
      if (!outgoing.write(piece)) await Promise.race([once(outgoing, 'drain'), answered])
    }
    outgoing.end()
    const [response] = (await answered) as [IncomingMessage]
    return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) }
  }
  return { send, close: () => agent.destroy() }
}
export type Sender = ReturnType<typeof sender>

/** The pieces, with a pause before each. */
export async function* slowly(pieces: (string | Buffer)[], pause: number) {
  for (const piece of pieces) {
    await sleep(pause)
    yield piece
  }
}

/** Whether an answer has the form of the service's errors. */
export const isError = ({ status, headers, body }: Answer, expected: number) => {
  if (status !== expected || !/^application\/json/.test(headers['content-type'] ?? '')) return false
  const { success, code, message } = JSON.parse(body.toString())
  return success === false && code === expected && typeof message === 'string'
}
