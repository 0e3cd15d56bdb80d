import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../bench/measures/statistics.js'

/** What each of them has sent before it begins to dribble. */
const beginnings = {
  'nothing at all': '',
  'a head': 'GET /contents HTTP/1.1\r\nHost: x\r\nX: ',
  'a body': 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{"email":"',
  'a body in chunks': 'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
}
type Kind = keyof typeof beginnings

/** One byte at a time, or nothing. */
const drops: Record<Kind, string> = { 'nothing at all': '', 'a head': 'x', 'a body': 'x', 'a body in chunks': '1\r\nx\r\n' }
const dropEvery = 500

/** Longer than any connection should last. */
const patience = 20_000

/** The milliseconds until the service closed the connection, and whether it said why. */
const dribble = async ({ hostname, port }: URL, kind: Kind) => {
  const began = performance.now()
  const socket = connect(Number(port), hostname)
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
  return { lasted: performance.now() - began, told: answer.startsWith('HTTP/1.1 408 ') }
}

const askEvery = 20
/** For so long the neighbour is watched before they come. */
const quietFor = 2000

/** Somebody else, who asks for a page of contents from time to time. */
const neighbour = async (address: URL, until: () => boolean) => {
  const took: number[] = []
  const statuses = new Set<number>()
  while (!until()) {
    const began = performance.now()
    const response = await fetch(new URL('/contents?perPage=5', address))
    await response.arrayBuffer()
    took.push(performance.now() - began)
    statuses.add(response.status)
    await sleep(askEvery)
  }
  return { p50: quantile(took, 0.5), p99: quantile(took, 0.99), statuses: [...statuses] }
}

/** What becomes of connections that dribble, and of somebody else meanwhile. `address` is the service's origin. */
export const slowSenders = async (address: string, { senders }: { senders: number }) => {
  const url = new URL(address)
  const kinds = Object.keys(beginnings) as Kind[]

  const quietUntil = performance.now() + quietFor
  const quiet = await neighbour(url, () => performance.now() > quietUntil)

  let ended = false
  const dribbling = Promise.all(Array.from({ length: senders }, (_, n) => dribble(url, kinds[n % kinds.length] as Kind)))
  const beside = neighbour(url, () => ended)
  const all = await dribbling
  ended = true

  return {
    /** Milliseconds that the one lasted that was closed last. */
    longest: Math.max(...all.map(({ lasted }) => lasted)),
    /** Those who were told why they were closed. */
    told: all.filter(({ told }) => told).length,
    quiet,
    beside: await beside
  }
}
