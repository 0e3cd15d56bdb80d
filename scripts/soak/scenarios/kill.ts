import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { complainsOfNothing, nothingLost } from '../findings.js'
import { isBroken, isPromised } from '../load/outcomes.js'
import { until } from '../processes/replica-set.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const steady = 1000
/** A process that starts must serve so soon, in milliseconds. */
const atOnce = 5000
/** Where other tests want the processors too. */
const soonEnough = 20_000
/** What a lease may outlive its holder, in milliseconds. */
const leaseLife = 60_000

/** kill -9 of the service while viewers write, again and again, the first time in the middle of a training. */
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
    say(`kill ${n} of ${options.kills}: serves ${milliseconds(starts.at(-1) ?? 0)} after its start`)
  }
  const left = await lease()
  const outlives = left ? left.expires_at.getTime() - Date.now() : 0
  await sleep(steady)
  await viewers.stop()

  const slowest = Math.max(...starts)
  const findings = [
    await nothingLost(ledger, db),
    promised(
      'callers see successes, 503s and broken connections alone',
      outcomes.besides(kind => isPromised(kind) || isBroken(kind)) === 0,
      `${outcomes}`
    ),
    promised(
      'a restart serves at once',
      slowest <= (options.brief ? soonEnough : atOnce),
      `ready after ${milliseconds(slowest)} at most, in ${starts.length} restarts`
    ),
    promised(
      'the lease of a training that was killed ends within a minute',
      left !== null && outlives <= leaseLife,
      `${milliseconds(outlives)} left`
    ),
    await counterIsAhead(db),
    complainsOfNothing(service)
  ]
  if (options.brief) return findings

  say('waiting for the training that the killed one left undone')
  const began = performance.now()
  await until('A model', () => db.collection('models').findOne())
  return [...findings, promised('another training follows', true, `stored ${milliseconds(performance.now() - began)} after the load`)]
}

const counterIsAhead = async (db: Db) => {
  const counter = await db.collection<{ _id: string; last: number }>('counters').findOne({ _id: 'watchlist' })
  const [newest] = await db.collection<{ _id: number }>('watchlist').find().sort({ _id: -1 }).limit(1).toArray()
  const [last, used] = [counter?.last ?? 0, newest?._id ?? 0]
  return promised('the counter of ids is ahead of those in use', used > 0 && last >= used, `${last} given, ${used} used`)
}
