import { complainsOfNothing, nothingLost } from '../findings.js'
import { isSuccess } from '../load/outcomes.js'
import { promised } from '../promises.js'
import { startProxy } from '../proxy.js'
import { restartInTurn } from '../restarts.js'
import type { Scenario } from '../scenario.js'

/** Milliseconds for the balancer to notice that a process is back. */
const settleTime = 500

/** Two processes behind a balancer, restarted in turn until enough requests were sent. */
export const rolling: Scenario = async ({ db, options, say }, stage) => {
  const { outcomes, ledger } = stage
  const services = await Promise.all([stage.service(), stage.service()])
  const proxy = await startProxy(services)
  stage.onEnd(proxy.stop)
  const viewers = stage.viewers({ portOf: () => proxy.port })

  const restarts = await restartInTurn(services, settleTime, restarts => {
    say(`rolling: ${restarts.length} restarts, ${outcomes.total} of ${options.requests} requests, ${outcomes}`)
    return outcomes.total >= options.requests
  })
  await viewers.stop()

  const failed = outcomes.besides(isSuccess)
  return [
    promised(
      'rolling restarts fail no request',
      failed === 0,
      `${failed} of ${outcomes.total} in ${restarts.length} restarts (${outcomes})`
    ),
    promised(
      'stopped processes exit with status 0',
      restarts.every(({ status }) => status === 0),
      `${restarts.filter(({ status }) => status === 0).length} of ${restarts.length}`
    ),
    await nothingLost(ledger, db),
    complainsOfNothing(...services)
  ]
}
