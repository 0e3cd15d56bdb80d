import { setTimeout as sleep } from 'node:timers/promises'
import { tokenOf } from '../../bench/servers/tokens.js'
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
/** Requests per second with which one viewer exceeds RATE_LIMIT. */
const haste = 25

export const importKey = 'the key with which the load imports'
const imported = [{ vendor_id: 'drama', name: 'Drama', taxonomy: 'genre' }, { vendor_id: 'drama' }]

const json = { 'content-type': 'application/json' }
/** Requests that a caller should not send, each with a different error. */
const mistakes: [path: string, request?: RequestInit][] = [
  ['/history'],
  ['/unknown'],
  ['/contents?page=0'],
  ['/terms', { method: 'PATCH' }],
  ['/login', { method: 'POST', headers: json, body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong' }) }]
]

/** Puts processes under the load of a balancer, viewers, careless callers and a CMS, while the database hangs for a moment. */
export const makeLoad = async ({ ports, contents, viewers, mongod, seconds }: LoadOptions) => {
  const send = async (n: number, path: string, request?: RequestInit) => {
    const answer = await fetch(`http://127.0.0.1:${ports[n % ports.length]}${path}`, request).catch(() => undefined)
    await answer?.arrayBuffer()
  }
  const importTerm = (term: object) =>
    send(0, '/import/terms', { method: 'POST', headers: { authorization: `Bearer ${importKey}` }, body: JSON.stringify(term) })
  const everySecond = setInterval(() => {
    for (const n of ports.keys()) for (const path of ['/health', '/ready']) void send(n, path)
    for (const [n, mistake] of mistakes.entries()) void send(n, ...mistake)
    for (let n = 0; n < haste; n++) void send(0, '/history', { headers: { authorization: `Bearer ${tokenOf(1)}` } })
    void send(0, '/terms')
    void send(1, '/contents?search=the')
  }, 1000)

  const crowd = startViewers({
    count: viewers,
    portOf: n => ports[n % ports.length] as number,
    pause: 100,
    contents,
    outcomes: new Outcomes(),
    ledger: new Ledger()
  })
  await sleep((seconds * 1000) / 4)
  for (const term of imported) await importTerm(term)
  await sleep((seconds * 1000) / 4)
  await Promise.all(Array.from({ length: searches }, (_, n) => send(0, `/contents?search=word${n}`)))
  process.kill(mongod, 'SIGSTOP')
  await sleep(pauseOfDatabase)
  process.kill(mongod, 'SIGCONT')
  await sleep((seconds * 1000) / 2)
  clearInterval(everySecond)
  await crowd.stop()
}
