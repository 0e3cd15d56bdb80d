import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestBytes } from '../../bench/load/call.js'
import { type Caller, callerAt } from '../../bench/load/caller.js'
import { readSteadily } from './reader.js'

interface Options {
  /** Somebody who can sign in and has a history. */
  email: string
  password: string
  /** Logins that begin at the same moment, once a second. */
  atOnce: number
  seconds: number
}

/**
 * What a flood of logins does to a page of history, and what becomes of the logins. Each is of somebody else from somewhere
 * else, so that no limit of failed logins spares the service the work: `address` is the origin of one with TRUST_PROXY=1,
 * RATE_LIMIT=0 and RATE_LIMIT_ADDRESS=0.
 */
export const loginFlood = async (address: string, { email, password, atOnce, seconds }: Options) => {
  const port = Number(new URL(address).port)
  const signedIn = await fetch(new URL('/login', address), { method: 'POST', body: JSON.stringify({ email, password }) })
  const { data } = (await signedIn.json()) as { data: { access_token: string } }

  const reading = { port, path: '/history', token: data.access_token, milliseconds: seconds * 1000 }
  const quiet = await readSteadily(reading)

  const logins: Record<number, number> = {}
  const crowd = await Promise.all(Array.from({ length: atOnce }, () => callerAt(port)))
  const logIn = async (caller: Caller) => {
    const { status } = await caller.ask(
      requestBytes({
        method: 'POST',
        path: '/login',
        headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` },
        body: { email: `${randomUUID()}@example.com`, password }
      })
    )
    logins[status] = (logins[status] ?? 0) + 1
  }
  let ended = false
  const flood = async () => {
    while (!ended) await Promise.all([...crowd.map(logIn), sleep(1000)])
  }
  const flooding = flood()
  const flooded = await readSteadily(reading)
  ended = true
  await flooding
  for (const { end } of crowd) end()

  return { quiet, flooded, ratio: flooded.p99 / quiet.p99, logins }
}
