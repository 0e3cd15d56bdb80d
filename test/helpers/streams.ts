import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Changes } from '../../schemas/changes.js'
import type { App } from './app.js'
import { until } from './until.js'

interface StreamEvent {
  event: string
  id?: string
  data: string
  retry?: string
}

const eventIn = (text: string) =>
  Object.fromEntries(
    text.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
  ) as unknown as StreamEvent

/** The address of an app that listens from now on. */
export const addressOf = async (app: App) => {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

/** Follows a stream of changes, on a connection of its own, as soon as its head is there. */
export const follow = async (t: Test, address: string, headers: Record<string, string>, query = '', path = '/changes/stream') => {
  const asked: ClientRequest = request(`${address}${path}${query}`, { headers, agent: false })
  t.teardown(() => asked.destroy())
  const answer = await new Promise<IncomingMessage>((resolve, reject) => asked.once('response', resolve).once('error', reject).end())
  asked.on('error', () => undefined)
  let rest = ''
  let said = ''
  const events: StreamEvent[] = []
  const stream = {
    status: answer.statusCode,
    headers: answer.headers,
    events,
    comments: 0,
    hasEnded: false,
    close: () => asked.destroy(),
    answer,
    said: () => said,
    /** The data of the events `changes`. */
    changes: () => events.filter(({ event }) => event === 'changes').map(({ data }) => JSON.parse(data) as Changes),
    /** Waits for the events `changes` in which this holds, or their number. */
    told: (wanted: number | ((changes: Changes[]) => boolean)) =>
      until(() => (typeof wanted === 'number' ? stream.changes().length >= wanted : wanted(stream.changes()))),
    /** Waits for the end, and returns the reason. */
    ended: async () => {
      await until(() => stream.hasEnded)
      return JSON.parse(events.findLast(({ event }) => event === 'end')?.data ?? '{}').reason
    }
  }
  answer
    .setEncoding('utf8')
    .on('data', (text: string) => {
      said += text
      const parts = (rest + text).split('\n\n')
      rest = parts.pop() as string
      for (const part of parts) {
        if (part.startsWith(':')) stream.comments++
        else events.push(eventIn(part))
      }
    })
    .on('error', () => undefined)
    .on('close', () => {
      stream.hasEnded = true
    })
  return stream
}
export type FollowedStream = Awaited<ReturnType<typeof follow>>
