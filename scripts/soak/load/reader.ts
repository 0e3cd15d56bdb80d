import { setTimeout as sleep } from 'node:timers/promises'
import { callerAt } from '../../bench/load/caller.js'
import { quantile } from '../../bench/measures/statistics.js'
import { type Counts, increment } from '../counts.js'

interface Reading {
  port: number
  path: string
  token?: string
  /** Checked after each response. */
  isOver: () => boolean
}

/** Milliseconds between a response and the next request. */
const pause = 20

/** A condition that becomes true after a time. */
export const after = (milliseconds: number) => {
  const end = performance.now() + milliseconds
  return () => performance.now() >= end
}

/** Measures the response times of one caller that repeats a request at a steady pace. */
export const readSteadily = async ({ port, path, token, isOver }: Reading) => {
  const caller = await callerAt(port)
  const authorization = token ? `Authorization: Bearer ${token}\r\n` : ''
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`)
  const took: number[] = []
  const statuses: Counts = {}
  while (!isOver()) {
    const began = performance.now()
    const { status } = await caller.ask(request)
    took.push(performance.now() - began)
    increment(statuses, status)
    await sleep(pause)
  }
  caller.end()
  return { p50: quantile(took, 0.5), p99: quantile(took, 0.99), longest: Math.max(...took), statuses }
}
