import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { type App, build } from './app.js'

/** A bare connection to an app that listens. */
export const connected = async ({ server }: App) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

export const listening = async (t: Test, settings: Record<string, string> = {}) => {
  const app = await build(t, { settings })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

/** Writes bytes to a connection, with pauses where a number stands, and reads what comes until the other side ends it. */
export const talk = async (app: App, ...pieces: (string | Buffer | number)[]) => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const gone = new AbortController()
  const answer = text(socket)
    .catch((error: NodeJS.ErrnoException) => String(error.code))
    .finally(() => gone.abort())
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  for (const piece of pieces) {
    if (gone.signal.aborted) break
    if (typeof piece === 'number') await sleep(piece, undefined, { signal: gone.signal }).catch(() => undefined)
    else socket.write(piece)
  }
  return answer
}

export const parsed = (answer: string) => {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(header => [header.split(':', 1)[0]?.toLowerCase(), header.slice(header.indexOf(':') + 1).trim()])
  )
  return { statusCode: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}
