import { once } from 'node:events'
import { connect } from 'node:net'

export interface Call {
  method?: 'GET' | 'PUT' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
}

/** A request as it goes over the wire, made once and sent often. */
export const requestBytes = ({ method = 'GET', path, headers = {}, body }: Call) => {
  const payload = body ? JSON.stringify(body) : ''
  const all = { host: 'localhost', ...headers, ...(body && { 'content-type': 'application/json', 'content-length': payload.length }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`)
}

/** A caller with a connection of its own: sends a request when the last one was answered. Less work than an HTTP client, so that the server is the limit. */
export const callerAt = async (port: number) => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')

  let head = ''
  let missing = -1
  let answered = () => {}
  let failed: (error: Error) => void = () => {}
  let isOpen = true

  socket.on('data', chunk => {
    if (missing < 0) {
      head += chunk.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (head[9] !== '2' || !length) return failed(new Error(`An answer that is no success: ${head.slice(0, 2000)}`))
      missing = end + 4 + Number(length) - head.length
      head = ''
    } else {
      missing -= chunk.length
    }
    if (missing === 0) {
      missing = -1
      answered()
    }
  })
  socket.on('error', error => failed(error))
  const close = () => {
    isOpen = false
    failed(new Error('The server closed the connection'))
  }
  socket.on('close', close)

  return {
    ask: (request: Buffer) =>
      new Promise<void>((resolve, reject) => {
        answered = resolve
        failed = reject
        if (isOpen) socket.write(request)
        else close()
      }),
    end: () => {
      failed = () => {}
      socket.destroy()
    }
  }
}
export type Caller = Awaited<ReturnType<typeof callerAt>>

/** Keeps all callers busy for a time; gives the number of answers and the seconds that they took. */
export const keepBusy = async (callers: Caller[], requests: Buffer[], milliseconds: number) => {
  const began = performance.now()
  let next = 0
  let count = 0
  await Promise.all(
    callers.map(async ({ ask }) => {
      while (performance.now() - began < milliseconds) {
        await ask(requests[next++ % requests.length] as Buffer)
        count++
      }
    })
  )
  return { count, seconds: (performance.now() - began) / 1000 }
}

/** The milliseconds that one request takes. */
export const timed = async ({ ask }: Caller, request: Buffer) => {
  const began = performance.now()
  await ask(request)
  return performance.now() - began
}
