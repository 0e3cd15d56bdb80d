import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './processes/service.js'

export interface Restart {
  /** The exit status. */
  status: number | null
  /** Milliseconds until the service was ready again. */
  took: number
}

/**
 * Restarts the services one after the other, round after round, until `isEnough`. `settleTime` is how many milliseconds the balancer has to
 * notice that a service is back.
 */
export const restartInTurn = async (services: Service[], settleTime: number, isEnough: (restarts: Restart[]) => boolean) => {
  const restarts: Restart[] = []
  do {
    for (const service of services) {
      await sleep(settleTime)
      const status = await service.end('SIGTERM')
      restarts.push({ status, took: await service.run() })
    }
  } while (!isEnough(restarts))
  return restarts
}
