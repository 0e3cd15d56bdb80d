import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../bench/statistics.js'
import { type Counts, increment } from '../counts.js'
import { ask } from './ask.js'

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
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  const took: number[] = []
  const statuses: Counts = {}
  while (!isOver()) {
    const began = performance.now()
    const { status } = await ask(agent, port, { path, headers })
    took.push(performance.now() - began)
    increment(statuses, status)
    await sleep(pause)
  }
  agent.destroy()
  return { p50: quantile(took, 0.5), p99: quantile(took, 0.99), longest: Math.max(...took), statuses }
}
