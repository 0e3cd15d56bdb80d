import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { tokenOf } from '../bench/servers/tokens.js'
import { ask, killAtExit } from '../processes.js'
import { type Counts, increment } from './outcomes.js'

export interface Call {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
}

export const as = (user: number) => ({ authorization: `Bearer ${tokenOf(user)}` })

/** The bytes of a request, built once and sent often. */
export const requestBytes = ({ method = 'GET', path, headers = {}, body }: Call) => {
  const payload = body ? JSON.stringify(body) : ''
  const all = { host: 'localhost', ...headers, ...(body && { 'content-type': 'application/json', 'content-length': payload.length }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`)
}

/** A response without its body, which is skipped. */
interface Answer {
  status: number
  /** The status line and the headers. */
  head: string
}

const endOfHead = '\r\n\r\n'

/** A caller with one connection and one request at a time. Cheaper than an HTTP client, so that the service is the bottleneck. */
export const callerAt = async (port: number) => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let answered: (answer: Answer) => void = () => undefined
  let failed: (error: Error) => void = () => undefined

  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    const end = received.indexOf(endOfHead)
    if (end < 0) return
    const head = received.slice(0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (!length) return failed(new Error(`A response of unknown length: ${head}`))
    if (received.length < end + endOfHead.length + Number(length)) return
    received = ''
    answered({ status: Number(head.slice(9, 12)), head })
  })
  socket.on('error', error => failed(error))
  socket.on('close', () => failed(new Error('The server closed the connection')))

  return {
    ask: (request: Buffer) =>
      new Promise<Answer>((resolve, reject) => {
        answered = resolve
        failed = reject
        if (socket.destroyed) failed(new Error('The server closed the connection'))
        else socket.write(request)
      }),
    end: () => {
      failed = () => undefined
      socket.destroy()
    }
  }
}
export type Caller = Awaited<ReturnType<typeof callerAt>>

export const callersAt = (port: number, count: number) => Promise.all(Array.from({ length: count }, () => callerAt(port)))

export interface Latencies {
  count: number
  /** In milliseconds, like the others. */
  p50: number
  p99: number
  longest: number
}

/** Collects response times. */
export const stopwatch = () => {
  const histogram = createHistogram()
  return {
    record: (milliseconds: number) => histogram.record(Math.max(1, Math.round(milliseconds * 1000))),
    latencies: (): Latencies => ({
      count: histogram.count,
      p50: histogram.count === 0 ? 0 : histogram.percentile(50) / 1000,
      p99: histogram.count === 0 ? 0 : histogram.percentile(99) / 1000,
      longest: histogram.max / 1000
    })
  }
}

/** A condition that becomes true after a time. */
export const after = (milliseconds: number) => {
  const end = performance.now() + milliseconds
  return () => performance.now() >= end
}

/** Milliseconds between a response and the next request. */
const pause = 20

interface Reading {
  port: number
  path: string
  token?: string
  /** Checked after each response. */
  isOver: () => boolean
}

/** Measures the response times of one caller that repeats a request at a steady pace. */
export const readSteadily = async ({ port, path, token, isOver }: Reading) => {
  const caller = await callerAt(port)
  const request = requestBytes({ path, headers: token ? { authorization: `Bearer ${token}` } : {} })
  const took = stopwatch()
  const statuses: Counts = {}
  while (!isOver()) {
    const began = performance.now()
    const { status } = await caller.ask(request)
    took.record(performance.now() - began)
    increment(statuses, status)
    await sleep(pause)
  }
  caller.end()
  return { ...took.latencies(), statuses }
}

export type Order =
  | { attack: string; port: number; atOnce: number }
  | { flood: Call[]; port: number; perSecond: number; seconds: number }
  | 'stop'

/** What became of requests at a fixed rate. Times are measured from when a request was due. */
export interface Flood {
  /** By status, or `unanswered`, or `broken` if the connection broke. */
  counts: Counts
  successes: Latencies
  /** 503s with Retry-After. */
  refusals: Latencies
}

/** Makes load from a separate process, so that measurements in this process are not delayed by the load itself. */
export const startLoad = (port: number) => {
  const child = fork(join(import.meta.dirname, 'load-process.ts'), { execArgv: ['--import', 'tsx'] })
  killAtExit(child)
  const exited = once(child, 'exit').then(() => {
    throw new Error('The process that makes the load exited')
  })
  exited.catch(() => undefined)
  const order = (order: Order) => Promise.race([ask(child, order), exited])
  return {
    /** Begins an attack, which lasts until `stop`. */
    attack: (attack: string, atOnce: number) => order({ attack, port, atOnce }),
    /** Ends the attack. Resolves with what the attackers got. */
    stop: (): Promise<Counts> => order('stop'),
    /** Sends requests at a fixed rate, whether or not earlier ones were answered, like many independent callers. */
    flood: (flood: Call[], perSecond: number, seconds: number): Promise<Flood> => order({ flood, port, perSecond, seconds }),
    end: () => child.kill()
  }
}
