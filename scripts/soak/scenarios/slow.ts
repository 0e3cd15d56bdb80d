import { complainsOfNothing, stays } from '../findings.js'
import { slowSenders } from '../load/slow-senders.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const closedWithin = 15_000

/** Hundreds of connections that dribble heads and bodies. */
export const slow: Scenario = async ({ options, say }, stage) => {
  const service = await stage.service()
  const senders = options.brief ? 100 : 500
  say(`slow: ${senders} connections dribble`)
  const { longest, told, quiet, beside } = await slowSenders(`http://127.0.0.1:${service.port}`, { senders })
  return [
    promised('slow senders are closed within 15 s', longest <= closedWithin, `the last after ${milliseconds(longest)}`),
    promised('each is told why', told === senders, `${told} of ${senders}`),
    promised(
      'they disturb no one',
      beside.statuses.every(status => status === 200),
      `others got ${beside.statuses.join(', ')}, 99 % within ${milliseconds(beside.p99)} (${milliseconds(quiet.p99)} before)`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
