import { setTimeout as sleep } from 'node:timers/promises'
import { callerAt } from '../../bench/load/caller.js'
import { quantile } from '../../bench/measures/statistics.js'

interface Reading {
  port: number
  path: string
  token?: string
  milliseconds: number
  /** Pause between an answer and the next request, in milliseconds. */
  pause?: number
}

/** What one caller waits for who asks the same again and again at a steady pace. */
export const readSteadily = async ({ port, path, token, milliseconds, pause = 20 }: Reading) => {
  const caller = await callerAt(port)
  const authorization = token ? `Authorization: Bearer ${token}\r\n` : ''
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`)
  const took: number[] = []
  const statuses: Record<number, number> = {}
  const until = performance.now() + milliseconds
  while (performance.now() < until) {
    const began = performance.now()
    const { status } = await caller.ask(request)
    took.push(performance.now() - began)
    statuses[status] = (statuses[status] ?? 0) + 1
    await sleep(pause)
  }
  caller.end()
  return { p50: quantile(took, 0.5), p99: quantile(took, 0.99), longest: Math.max(...took), statuses }
}
