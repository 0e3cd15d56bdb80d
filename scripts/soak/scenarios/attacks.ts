import { setTimeout as sleep } from 'node:timers/promises'
import { tokenOf } from '../../bench/servers/tokens.js'
import { fillAttacked } from '../attacked-data.js'
import { inWords } from '../counts.js'
import { complainsOfNothing, stays } from '../findings.js'
import { attack, attacks as calls } from '../load/attacks.js'
import { after, readSteadily } from '../load/reader.js'
import { startAttacker } from '../processes/attacker.js'
import { type Finding, milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const atOnce = 40
/** How much slower a page of history may get during an attack. */
const slowerAtMost = 3
/** Milliseconds within which /health and /ready must respond during an attack. */
const vitalWithin = 100
const requestsForMemory = 10_000
const growsAtMost = 40e6
const settled = 60_000

/** Requests that are as expensive as possible, 40 at once, while another viewer reads the history and a balancer checks /ready. */
export const attacks: Scenario = async ({ db, options, say }, stage) => {
  await fillAttacked(db, options.brief ? 0.02 : 1)
  const service = await stage.service()
  const { port } = service
  const time = options.brief ? 300 : 5000
  const read = (path: string, token?: string) => readSteadily({ port, path, isOver: after(time), ...(token && { token }) })
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
    const slowest = Math.max(...vital.map(({ longest }) => longest))
    const isServed = [history, ...vital].every(({ statuses }) => Object.keys(statuses).join() === '200')
    findings.push(
      promised(
        `${name}: the p99 of a page of history is at most ${slowerAtMost} times that without attack`,
        // When other tests run at the same time, the reference is not quiet.
        options.brief ? undefined : history.p99 <= slowerAtMost * quiet.p99 && isServed,
        `${milliseconds(history.p99)} instead of ${milliseconds(quiet.p99)}; the attackers got ${inWords(statuses)}`
      ),
      promised(
        `${name}: /health and /ready respond within ${vitalWithin} ms`,
        options.brief ? undefined : slowest <= vitalWithin && isServed,
        `slowest ${milliseconds(slowest)}`
      ),
      promised(`${name}: no 500`, !Object.keys(statuses).includes('500'), inWords(statuses))
    )
  }

  attacker.end()

  const before = (await service.holds()).rss
  const requests = options.brief ? 200 : requestsForMemory
  say(`attacks: ${requests} different queries of 15 KB`)
  const kinds = Object.values(calls)
  let sent = 0
  const next = () => (kinds[sent++ % kinds.length] as (typeof kinds)[number])()
  const filling = attack(port, atOnce, next)
  while (sent < requests) await sleep(10)
  await filling.stop()
  if (!options.brief) await sleep(settled)
  const grown = (await service.holds()).rss - before
  return [
    ...findings,
    promised(
      `memory grows by at most ${growsAtMost / 1e6} MB after ${requests} different queries`,
      options.brief ? undefined : grown <= growsAtMost,
      `${Math.round(grown / 1e6)} MB on top of ${Math.round(before / 1e6)} MB`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
