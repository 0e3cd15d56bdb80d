import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { until } from '../../until.js'
import { complainsOfNothing, nothingLost } from '../findings.js'
import { isBroken, isPromised } from '../load/outcomes.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const steady = 1000
/** Milliseconds within which a process must be ready after its start. */
const atOnce = 5000
/** The same when other tests run at the same time. */
const soonEnough = 20_000
/** Milliseconds by which a lease may outlive its holder. */
const leaseLife = 60_000

/** Kills the service repeatedly with kill -9 while viewers write, the first time during a training. */
export const kill: Scenario = async ({ db, options, say }, stage) => {
  const { outcomes, ledger } = stage
  await db.collection('models').deleteMany({})
  const service = await stage.service({ TRAIN: 'auto' })
  const viewers = stage.viewers({ portOf: () => service.port })
  const starts: number[] = []

  const lease = () => db.collection<{ _id: string; expires_at: Date }>('leases').findOne({ _id: 'training' })
  await until('A training', lease)
  for (let n = 1; n <= options.kills; n++) {
    if (n > 1) await sleep(steady)
    await service.end('SIGKILL')
    starts.push(await service.run())
    say(`kill ${n} of ${options.kills}: ready ${milliseconds(starts.at(-1) ?? 0)} after the start`)
  }
  const left = await lease()
  const outlives = left ? left.expires_at.getTime() - Date.now() : 0
  await sleep(steady)
  await viewers.stop()

  const slowest = Math.max(...starts)
  const findings = [
    await nothingLost(ledger, db),
    promised(
      'callers see only successes, 503s and broken connections',
      outcomes.besides(kind => isPromised(kind) || isBroken(kind)) === 0,
      `${outcomes}`
    ),
    promised(
      'a restarted service is ready at once',
      slowest <= (options.brief ? soonEnough : atOnce),
      `within ${milliseconds(slowest)}, in ${starts.length} restarts`
    ),
    promised(
      'the lease of a killed training expires within a minute',
      left !== null && outlives <= leaseLife,
      `${milliseconds(outlives)} left`
    ),
    await counterIsAhead(db),
    complainsOfNothing(service)
  ]
  if (options.brief) return findings

  say('waiting for the training to be repeated')
  const began = performance.now()
  await until('A model', () => db.collection('models').findOne())
  return [
    ...findings,
    promised('the killed training is repeated', true, `stored ${milliseconds(performance.now() - began)} after the load`)
  ]
}

const counterIsAhead = async (db: Db) => {
  const counter = await db.collection<{ _id: string; last: number }>('counters').findOne({ _id: 'watchlist' })
  const [newest] = await db.collection<{ _id: number }>('watchlist').find().sort({ _id: -1 }).limit(1).toArray()
  const [last, used] = [counter?.last ?? 0, newest?._id ?? 0]
  return promised('the id counter is ahead of the ids in use', used > 0 && last >= used, `counter at ${last}, highest id ${used}`)
}
