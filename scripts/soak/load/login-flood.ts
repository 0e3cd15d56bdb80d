import { randomInt, randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Counts, increment } from '../counts.js'
import { ask } from './ask.js'
import { after, readSteadily } from './reader.js'

interface Options {
  /** A user who can sign in and has a history. */
  email: string
  password: string
  /** Logins that start at the same time, once a second. */
  atOnce: number
  seconds: number
}

/**
 * Measures a page of history during a flood of logins, and counts the responses to the logins. Each login has another user
 * and another address, so that no limit on failed logins saves the service any work. The service must run with
 * TRUST_PROXY=1, RATE_LIMIT=0 and RATE_LIMIT_ADDRESS=0.
 */
export const loginFlood = async (port: number, { email, password, atOnce, seconds }: Options) => {
  const signedIn = await fetch(`http://127.0.0.1:${port}/login`, { method: 'POST', body: JSON.stringify({ email, password }) })
  const { data } = (await signedIn.json()) as { data: { access_token: string } }

  const read = () => readSteadily({ port, path: '/history', token: data.access_token, isOver: after(seconds * 1000) })
  const quiet = await read()

  const logins: Counts = {}
  const agent = new Agent({ keepAlive: true })
  const logIn = async () => {
    const { status } = await ask(agent, port, {
      method: 'POST',
      path: '/login',
      headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` },
      body: { email: `${randomUUID()}@example.com`, password }
    })
    increment(logins, status)
  }
  let ended = false
  const flood = async () => {
    while (!ended) await Promise.all([...Array.from({ length: atOnce }, logIn), sleep(1000)])
  }
  const flooding = flood()
  const flooded = await read()
  ended = true
  await flooding
  agent.destroy()

  return { quiet, flooded, ratio: flooded.p99 / quiet.p99, logins }
}
