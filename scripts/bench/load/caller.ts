import { once } from 'node:events'
import { connect } from 'node:net'

/** A response without its body, which is skipped. */
export interface Answer {
  status: number
  /** The status line and the headers. */
  head: string
}

const endOfHead = Buffer.from('\r\n\r\n')

/** Shared by all sockets, because a buffer per read would be garbage that delays the next request. */
const incoming = Buffer.allocUnsafe(64 * 1024)

/** A caller with one connection and one request at a time. Cheaper than an HTTP client, so that the server is the bottleneck. */
export const callerAt = async (port: number) => {
  const onread = {
    buffer: incoming,
    callback: (length: number) => {
      read(incoming.subarray(0, length))
      return true
    }
  }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  await once(socket, 'connect')

  let begun: Buffer | undefined
  let answer: Answer | undefined
  let missing = 0
  let answered: (answer: Answer) => void = () => {}
  let failed: (error: Error) => void = () => {}
  let isOpen = true

  const readHead = (bytes: Buffer) => {
    const end = bytes.indexOf(endOfHead)
    if (end < 0) {
      begun = Buffer.from(bytes)
      return
    }
    begun = undefined
    const head = bytes.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (!length) return failed(new Error(`A response of unknown length: ${head}`))
    answer = { status: Number(head.slice(9, 12)), head }
    missing = end + endOfHead.length + Number(length) - bytes.length
  }

  const read = (chunk: Buffer) => {
    if (answer) missing -= chunk.length
    else readHead(begun ? Buffer.concat([begun, chunk]) : chunk)
    if (!answer || missing > 0) return
    const complete = answer
    answer = undefined
    answered(complete)
  }
  socket.on('error', error => failed(error))
  const close = () => {
    isOpen = false
    failed(new Error('The server closed the connection'))
  }
  socket.on('close', close)

  return {
    ask: (request: Buffer) =>
      new Promise<Answer>((resolve, reject) => {
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

/** Sends a request that must succeed. */
export const succeed = async ({ ask }: Caller, request: Buffer) => {
  const { status, head } = await ask(request)
  if (status < 200 || status > 299) throw new Error(`A request failed: ${head}`)
}
