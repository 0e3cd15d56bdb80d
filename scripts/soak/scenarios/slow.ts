import { inWords } from '../counts.js'
import { complainsOfNothing, stays } from '../findings.js'
import { slowSenders } from '../load/slow-senders.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const closedWithin = 15_000

/** Hundreds of connections that send heads and bodies byte by byte. */
export const slow: Scenario = async ({ options, say }, stage) => {
  const service = await stage.service()
  const senders = options.brief ? 100 : 500
  say(`slow: ${senders} connections send byte by byte`)
  const { longest, got408, quiet, beside } = await slowSenders(service.port, { senders })
  return [
    promised('slow senders are disconnected within 15 s', longest <= closedWithin, `the last after ${milliseconds(longest)}`),
    promised('each of them gets a 408', got408 === senders, `${got408} of ${senders}`),
    promised(
      'other callers are not affected',
      Object.keys(beside.statuses).join() === '200',
      `they got ${inWords(beside.statuses)}, p99 ${milliseconds(beside.p99)} (${milliseconds(quiet.p99)} before)`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
