import { setTimeout as sleep } from 'node:timers/promises'
import { complainsOfNothing, nothingLost } from '../findings.js'
import { isSuccess } from '../load/outcomes.js'
import { promised } from '../promises.js'
import { startProxy } from '../proxy.js'
import type { Scenario } from '../scenario.js'

/** Milliseconds for the balancer to notice that a process is back. */
const breath = 500

/** Two processes behind a balancer, restarted in turn until enough requests were sent. */
export const rolling: Scenario = async ({ db, options, say }, stage) => {
  const { outcomes, ledger } = stage
  const services = await Promise.all([stage.service(), stage.service()])
  const proxy = await startProxy(services)
  stage.onEnd(proxy.stop)
  const viewers = stage.viewers({ portOf: () => proxy.port })
  const statuses: (number | null)[] = []

  while (statuses.length < services.length || outcomes.total < options.requests) {
    for (const service of services) {
      await sleep(breath)
      statuses.push(await service.end('SIGTERM'))
      await service.run()
    }
    say(`rolling: ${statuses.length} restarts, ${outcomes.total} of ${options.requests} requests, ${outcomes}`)
  }
  await viewers.stop()

  const failed = outcomes.besides(isSuccess)
  return [
    promised(
      'rolling restarts fail no request',
      failed === 0,
      `${failed} of ${outcomes.total} in ${statuses.length} restarts (${outcomes})`
    ),
    promised(
      'stopped processes exit with status 0',
      statuses.every(status => status === 0),
      `${statuses.filter(status => status === 0).length} of ${statuses.length}`
    ),
    await nothingLost(ledger, db),
    complainsOfNothing(...services)
  ]
}
