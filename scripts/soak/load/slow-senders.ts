import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, readSteadily } from './reader.js'

/** What each kind of sender has sent before it slows down. */
const beginnings = {
  'nothing at all': '',
  'a head': 'GET /contents HTTP/1.1\r\nHost: x\r\nX: ',
  'a body': 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{"email":"',
  'a body in chunks': 'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
}
type Kind = keyof typeof beginnings

/** What it sends after that, byte by byte. */
const drops: Record<Kind, string> = { 'nothing at all': '', 'a head': 'x', 'a body': 'x', 'a body in chunks': '1\r\nx\r\n' }
const dropEvery = 500

/** Longer than any connection should last, in milliseconds. */
const patience = 20_000

/** Resolves with the milliseconds until the service closed the connection, and whether it sent a 408. */
const dribble = async (port: number, kind: Kind) => {
  const began = performance.now()
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  socket.on('error', socket.destroy)
  socket.write(beginnings[kind])
  const dropping = setInterval(() => socket.write(drops[kind]), dropEvery)
  await Promise.race([new Promise(resolve => socket.on('close', resolve)), sleep(patience, undefined, { ref: false })])
  clearInterval(dropping)
  socket.destroy()
  return { lasted: performance.now() - began, got408: answer.startsWith('HTTP/1.1 408 ') }
}

/** Milliseconds for which another caller is measured before the slow senders arrive. */
const quietFor = 2000

/** Measures what happens to connections that send byte by byte, and to another caller meanwhile. */
export const slowSenders = async (port: number, { senders }: { senders: number }) => {
  const kinds = Object.keys(beginnings) as Kind[]
  const read = (isOver: () => boolean) => readSteadily({ port, path: '/contents?perPage=5', isOver })

  const quiet = await read(after(quietFor))

  let ended = false
  const dribbling = Promise.all(Array.from({ length: senders }, (_, n) => dribble(port, kinds[n % kinds.length] as Kind)))
  const beside = read(() => ended)
  const all = await dribbling
  ended = true

  return {
    /** Milliseconds until the last connection was closed. */
    longest: Math.max(...all.map(({ lasted }) => lasted)),
    /** The number of senders that got a 408. */
    got408: all.filter(({ got408 }) => got408).length,
    quiet,
    beside: await beside
  }
}
