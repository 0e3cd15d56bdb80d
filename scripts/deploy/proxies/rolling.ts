import type { Db } from 'mongodb'
import { complainsOfNothing, nothingLost } from '../../soak/findings.js'
import { Ledger } from '../../soak/load/ledger.js'
import { isSuccess, Outcomes } from '../../soak/load/outcomes.js'
import { startViewers } from '../../soak/load/viewers.js'
import type { Service } from '../../soak/processes/service.js'
import { type Finding, milliseconds, promised } from '../../soak/promises.js'
import { restartInTurn } from '../../soak/restarts.js'
import { agentFor, type Program, type RunningProxy } from './program.js'

const requests = 20_000

export interface Size {
  viewers: number
  contents: number
}

/** Restarts the services in turn while viewers use them through the proxy. */
export const rolling = async (
  program: Program,
  proxy: RunningProxy,
  services: Service[],
  db: Db,
  { viewers: count, contents }: Size,
  say: (line: string) => void
): Promise<Finding[]> => {
  const outcomes = new Outcomes()
  const ledger = new Ledger()
  const viewers = startViewers({
    count,
    contents,
    portOf: () => proxy.https,
    agent: agentFor(proxy.certificate),
    pause: 5,
    outcomes,
    ledger
  })
  const restarts = await restartInTurn(services, program.settleTime, restarts => {
    say(`${program.name}: ${restarts.length} restarts, ${outcomes.total} of ${requests} requests, ${outcomes}`)
    return outcomes.total >= requests
  })
  await viewers.stop()

  const failed = outcomes.besides(isSuccess)
  const slowest = Math.max(...restarts.map(({ took }) => took))
  return [
    promised(
      'rolling restarts fail no request',
      failed === 0 && restarts.every(({ status }) => status === 0),
      `${failed} of ${outcomes.total} in ${restarts.length} restarts (${outcomes}), slowest answer ${milliseconds(outcomes.slowest)}, slowest start ${milliseconds(slowest)}`
    ),
    await nothingLost(ledger, db),
    complainsOfNothing(...services)
  ]
}
