import { setTimeout as sleep } from 'node:timers/promises'
import { answersAsPromised, answersInTime, complainsOfNothing, nothingLost, stays } from '../findings.js'
import { isSuccess } from '../load/outcomes.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const steady = 1000
/** Milliseconds without a failure after which service counts as normal. */
const calm = 1000
/** Milliseconds after the election within which service must be normal again. */
const soon = 5000
/** Elections up to this many milliseconds leave enough time to retry interrupted requests before their deadline. */
const hiddenUpTo = 1000

/** Kills the primary repeatedly with kill -9 while viewers write. */
export const primary: Scenario = async ({ set, db, options, say }, stage) => {
  const service = await stage.service()
  const { outcomes, ledger } = stage
  const viewers = stage.viewers({ portOf: () => service.port })
  const failures = () => outcomes.besides(isSuccess)
  const elections: number[] = []
  const recoveries: number[] = []
  let hidden = 0
  let shown = 0

  for (let n = 1; n <= options.kills; n++) {
    await sleep(steady)
    await set.whole()
    const killed = await set.primary()
    const failedBefore = failures()
    const killedAt = performance.now()
    await killed.kill()
    await set.primary()
    const electedAt = performance.now()
    do await sleep(calm / 10)
    while (performance.now() - Math.max(outcomes.lastFailure, electedAt) < calm)
    elections.push(electedAt - killedAt)
    if (electedAt - killedAt <= hiddenUpTo) {
      hidden++
      shown += failures() - failedBefore
    }
    recoveries.push(Math.max(0, outcomes.lastFailure - electedAt))
    say(
      `primary ${n} of ${options.kills}: election after ${milliseconds(elections.at(-1) ?? 0)}, last failure ${milliseconds(recoveries.at(-1) ?? 0)} after that`
    )
    await killed.revive()
  }
  await viewers.stop()

  const slowest = Math.max(...recoveries)
  return [
    await nothingLost(ledger, db),
    stays(service),
    answersAsPromised(outcomes),
    answersInTime(outcomes),
    promised(
      'service is normal within 5 s after the election, without a restart',
      slowest <= soon,
      `${options.kills} elections of up to ${milliseconds(Math.max(...elections))}, last failure at most ${milliseconds(slowest)} later`
    ),
    promised(
      'interrupted requests are retried: elections of up to a second are invisible',
      hidden > 0 ? shown === 0 : undefined,
      `${shown} failures in ${hidden} such elections`
    ),
    complainsOfNothing(service)
  ]
}
