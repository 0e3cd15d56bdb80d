import { setTimeout as sleep } from 'node:timers/promises'
import { Ledger } from '../../soak/load/ledger.js'
import { Outcomes } from '../../soak/load/outcomes.js'
import { startViewers } from '../../soak/load/viewers.js'

interface LoadOptions {
  ports: number[]
  contents: number
  viewers: number
  /** The process that is stopped for a moment, as if the database hung. */
  mongod: number
  seconds: number
}

const pauseOfDatabase = 6000
const searches = 200

/** Calls that a caller should not make, each with another answer. */
const mistakes: [method: string, path: string, body?: object][] = [
  ['GET', '/history'],
  ['GET', '/unknown'],
  ['GET', '/contents?page=0'],
  ['PATCH', '/terms'],
  ['POST', '/login', { email: 'nobody@example.com', password: 'wrong' }]
]

/** What a balancer, viewers, careless callers and a database that hangs for a moment make of two processes. */
export const makeLoad = async ({ ports, contents, viewers, mongod, seconds }: LoadOptions) => {
  const call = async (n: number, method: string, path: string, body?: object) => {
    const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const answer = await fetch(`http://127.0.0.1:${ports[n % ports.length]}${path}`, { method, ...json }).catch(() => undefined)
    await answer?.arrayBuffer()
  }
  const everySecond = setInterval(() => {
    for (const n of ports.keys()) for (const path of ['/health', '/ready']) void call(n, 'GET', path)
    for (const [n, mistake] of mistakes.entries()) void call(n, ...mistake)
    void call(0, 'GET', '/terms')
    void call(1, 'GET', '/contents?search=the')
  }, 1000)

  const crowd = startViewers({
    count: viewers,
    portOf: n => ports[n % ports.length] as number,
    pause: 100,
    contents,
    outcomes: new Outcomes(),
    ledger: new Ledger()
  })
  await sleep((seconds * 1000) / 2)
  await Promise.all(Array.from({ length: searches }, (_, n) => call(0, 'GET', `/contents?search=word${n}`)))
  process.kill(mongod, 'SIGSTOP')
  await sleep(pauseOfDatabase)
  process.kill(mongod, 'SIGCONT')
  await sleep((seconds * 1000) / 2)
  clearInterval(everySecond)
  await crowd.stop()
}
