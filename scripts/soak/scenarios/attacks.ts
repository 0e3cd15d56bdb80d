import { setTimeout as sleep } from 'node:timers/promises'
import { requestBytes } from '../../bench/load/call.js'
import { tokenOf } from '../../bench/servers/tokens.js'
import { fillAttacked } from '../attacked-data.js'
import { complainsOfNothing, stays } from '../findings.js'
import { attack, attacks as calls } from '../load/attacks.js'
import { readSteadily } from '../load/reader.js'
import { startAttacker } from '../processes/attacker.js'
import { type Finding, milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const atOnce = 40
/** A page of history beside an attack, to one without. */
const slowerAtMost = 3
/** Milliseconds within which /health and /ready answer beside an attack. */
const vitalWithin = 100
const requestsForMemory = 10_000
const growsAtMost = 40e6
const settled = 60_000

/** Anonymous requests made to cost as much as they can, 40 at once, while a viewer reads the history and a balancer asks /ready. */
export const attacks: Scenario = async ({ db, options, say }, stage) => {
  await fillAttacked(db, options.brief ? 0.02 : 1)
  const service = await stage.service()
  const { port } = service
  const time = options.brief ? 300 : 5000
  const read = (path: string, token?: string) => readSteadily({ port, path, milliseconds: time, ...(token && { token }) })
  const look = () => Promise.all([read('/history', tokenOf(1)), read('/health'), read('/ready')])

  await look()
  const [quiet] = await look()
  const findings: Finding[] = []
  const attacker = startAttacker(port, atOnce)
  for (const name of Object.keys(calls)) {
    say(`attacks: ${name}`)
    await attacker.begin(name)
    const [history, ...vital] = await look()
    const statuses = await attacker.stop()
    const told = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
    const slowest = Math.max(...vital.map(({ longest }) => longest))
    const isServed = [history, ...vital].every(({ statuses }) => Object.keys(statuses).join() === '200')
    findings.push(
      promised(
        `${name}: a page of history stays within ${slowerAtMost} times of its quiet p99`,
        // Beside other tests, what is quiet is none.
        options.brief ? undefined : history.p99 <= slowerAtMost * quiet.p99 && isServed,
        `${milliseconds(history.p99)} beside ${milliseconds(quiet.p99)}; the attackers got ${told.join(', ')}`
      ),
      promised(
        `${name}: /health and /ready answer within ${vitalWithin} ms`,
        options.brief ? undefined : slowest <= vitalWithin && isServed,
        `the slowest after ${milliseconds(slowest)}`
      ),
      promised(`${name}: no fault of the service`, !Object.keys(statuses).some(status => status === '500'), told.join(', '))
    )
  }

  attacker.end()

  const before = (await service.holds()).rss
  const requests = options.brief ? 200 : requestsForMemory
  say(`attacks: ${requests} queries of 15 KB, each another one`)
  const kinds = Object.values(calls)
  let sent = 0
  const next = () => requestBytes((kinds[sent++ % kinds.length] as (typeof kinds)[number])())
  const filling = await attack(port, atOnce, next)
  while (sent < requests) await sleep(10)
  await filling.stop()
  if (!options.brief) await sleep(settled)
  const grown = (await service.holds()).rss - before
  return [
    ...findings,
    promised(
      `memory after ${requests} of them is within ${growsAtMost / 1e6} MB of before`,
      options.brief ? undefined : grown <= growsAtMost,
      `${Math.round(grown / 1e6)} MB more than ${Math.round(before / 1e6)}`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
