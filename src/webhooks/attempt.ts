import { createHmac } from 'node:crypto'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { seconds } from '../time.js'
import { checkedAddresses } from './addresses.js'
import { type Endpoint, secretsOf } from './endpoints.js'

/** How long an attempt may take, until the end of the response. */
export const patience = seconds(15)
/** How much of a response is read. The status has arrived by then. */
const longestResponse = 64 * 1024

/** How many attempts of an endpoint may be in progress. */
export const mostAtOnce = 100

interface Message {
  /** The same in each attempt, so that the receiver can recognize duplicates. */
  id: string
  body: string
}

export interface Outcome {
  /** The status of the response, if it was complete. */
  status?: number
  cause?: string
}

/** As specified by https://www.standardwebhooks.com. */
const signature = (secret: string, signed: string) => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

const headersOf = (endpoint: Endpoint, { id, body }: Message) => {
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'viewer-webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secretsOf(endpoint)
      .map(secret => signature(secret, `${id}.${timestamp}.${body}`))
      .join(' ')
  }
}

/** Reads a response to its end, or up to `longestResponse`. */
const read = (response: IncomingMessage) =>
  new Promise<void>((resolve, reject) => {
    let length = 0
    response.on('data', (bytes: Buffer) => {
      length += bytes.length
      if (length <= longestResponse) return
      resolve()
      response.destroy()
    })
    response.on('end', resolve).on('error', reject)
    response.on('close', () => reject(new Error('the response ended early')))
  })

/** Keeps the connections to an endpoint open between attempts. */
export const agentFor = ({ url }: Pick<Endpoint, 'url'>) => {
  // With `autoSelectFamily`, Node asks `lookup` for all addresses.
  const options = { keepAlive: true, maxSockets: mostAtOnce, autoSelectFamily: true }
  return new URL(url).protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
}
export type Agent = ReturnType<typeof agentFor>

/** Sends a message once. Redirects are not followed. */
export const attempt = async (endpoint: Endpoint, message: Message, agent: Agent): Promise<Outcome> => {
  const late = new AbortController()
  // Not `AbortSignal.timeout`, which Node 20 may collect before it has fired.
  const timer = setTimeout(() => late.abort(), patience).unref()
  const causeOf = (error: NodeJS.ErrnoException) => (late.signal.aborted ? `no response within ${patience / 1000} s` : reasonOf(error))
  const outcome = await sent(endpoint, message, agent, late.signal).catch(error => ({ cause: causeOf(error) }))
  clearTimeout(timer)
  return outcome
}

/** An error for several addresses has no message. */
const reasonOf = ({ message, code }: NodeJS.ErrnoException) => message || String(code)

const sent = async (endpoint: Endpoint, message: Message, agent: Agent, signal: AbortSignal): Promise<Outcome> => {
  const url = new URL(endpoint.url)
  const addresses = await Promise.race([checkedAddresses(url, endpoint.isPrivate), rejectedBy(signal)])
  // Connects to the checked addresses, without another lookup.
  const lookup: LookupFunction = (_host, _options, done) => done(null, addresses)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const respond = () =>
    new Promise<Outcome>((resolve, reject) => {
      const request = send(url, { method: 'POST', agent, lookup, signal, headers: headersOf(endpoint, message) })
      // The receiver may have closed a kept-alive connection just when it was reused.
      const repeatOrReject = (error: NodeJS.ErrnoException) =>
        request.reusedSocket && error.code === 'ECONNRESET' ? respond().then(resolve, reject) : reject(error)
      request.on('error', repeatOrReject)
      request.on('response', response => {
        const status = response.statusCode as number
        read(response).then(() => resolve(status >= 200 && status < 300 ? { status } : { status, cause: `HTTP ${status}` }), reject)
      })
      request.end(message.body)
    })
  return respond()
}

const rejectedBy = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
