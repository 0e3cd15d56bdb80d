import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { say } from '../command-line.js'
import { until } from '../processes.js'
import { restartInTurn, type Server } from '../servers.js'
import { answersAsPromised, answersInTime, complainsOfNothing, milliseconds, nothingLost, promised, stays } from './findings.js'
import { type Counts, increment, inWords, isBroken, isPromised, isSuccess, Outcomes, Trend } from './outcomes.js'
import type { ReplicaSet } from './replica-set.js'
import type { Scenario } from './stage.js'
import { ask, changesFollowing, startFollowers } from './viewers.js'

/** Milliseconds of load between two faults. */
const steady = 1000
/**
 * Milliseconds of load before the first fault, because a new process is slow, and accepts the last of 32 connections up to a second late.
 */
const warmUp = 3000

/** Milliseconds without a failure after which the service counts as normal. */
const calm = 1000
/** Milliseconds after the election within which the service must be normal again. */
const soon = 5000
/** Elections up to this many milliseconds leave enough time to retry interrupted requests before their deadline. */
const hiddenUpTo = 1000

/** Kills the primary repeatedly with kill -9 while viewers write. */
export const primary: Scenario = async stage => {
  const { set, db, options, outcomes, ledger } = stage
  const service = await stage.service()
  // A report without `observed_at` that was in flight may get a 503, because a retry could count twice.
  const viewers = stage.viewers({ portOf: () => service.port, dated: true })
  const failures = () => outcomes.besides(isSuccess)
  const kills: { election: number; recovery: number; failures: number }[] = []
  await sleep(warmUp)

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
    const [election, recovery] = [electedAt - killedAt, Math.max(0, outcomes.lastFailure - electedAt)]
    kills.push({ election, recovery, failures: failures() - failedBefore })
    say(`primary ${n} of ${options.kills}: election after ${milliseconds(election)}, last failure ${milliseconds(recovery)} after that`)
    await killed.revive()
  }
  await viewers.stop()

  const slowest = Math.max(...kills.map(({ recovery }) => recovery))
  const longest = Math.max(...kills.map(({ election }) => election))
  const hidden = kills.filter(({ election }) => election <= hiddenUpTo)
  const shown = hidden.reduce((sum, { failures }) => sum + failures, 0)
  return [
    await nothingLost(ledger, db),
    stays(service),
    answersAsPromised(outcomes),
    answersInTime(outcomes),
    promised(
      'the service is normal within 5 s after the election, without a restart',
      slowest <= soon,
      `${options.kills} elections of up to ${milliseconds(longest)}, last failure at most ${milliseconds(slowest)} later`
    ),
    promised(
      'interrupted requests are retried: elections of up to a second are invisible',
      hidden.length > 0 ? shown === 0 : undefined,
      `${shown} failures in ${hidden.length} such elections`
    ),
    complainsOfNothing(service)
  ]
}

/** Milliseconds within which a process must be ready after its start. */
const atOnce = 5000
/** The same when other tests run at the same time. */
const soonEnough = 20_000
/** Milliseconds by which a lease may outlive its holder. */
const leaseLife = 60_000

/** Kills the service repeatedly with kill -9 while viewers write, the first time during a training. */
export const kill: Scenario = async stage => {
  const { db, options, outcomes, ledger } = stage
  await db.collection('models').deleteMany({})
  const service = await stage.service({ TRAIN: 'auto' })
  const viewers = stage.viewers({ portOf: () => service.port })
  const starts: number[] = []

  const lease = () => db.collection<{ _id: string; expires_at: Date }>('leases').findOne({ _id: 'training' })
  await until('A training', lease)
  for (let n = 1; n <= options.kills; n++) {
    if (n > 1) await sleep(steady)
    await service.end('SIGKILL')
    const took = await service.run()
    starts.push(took)
    say(`kill ${n} of ${options.kills}: ready ${milliseconds(took)} after the start`)
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
  const stored = `stored ${milliseconds(performance.now() - began)} after the load`
  return [...findings, promised('the killed training is repeated', true, stored)]
}

const counterIsAhead = async (db: Db) => {
  const counter = await db.collection<{ _id: string; last: number }>('counters').findOne({ _id: 'watchlist' })
  const [newest] = await db.collection<{ _id: number }>('watchlist').find().sort({ _id: -1 }).limit(1).toArray()
  const [last, used] = [counter?.last ?? 0, newest?._id ?? 0]
  return promised('the id counter is ahead of the ids in use', used > 0 && last >= used, `counter at ${last}, highest id ${used}`)
}

/** Milliseconds between two checks of the processes by the balancer, and for it to notice that one is ready again. */
const lookEvery = 200
const settleTime = 500

/** Restarts two processes in turn until enough requests were sent, each to the next process that is ready. */
export const rolling: Scenario = async stage => {
  const { db, options, outcomes, ledger } = stage
  const services = await Promise.all([stage.service(), stage.service()])
  let ready: Server[] = services
  const looking = setInterval(async () => {
    const are = await Promise.all(services.map(service => service.isReady()))
    ready = services.filter((_, n) => are[n])
  }, lookEvery)
  stage.onEnd(() => clearInterval(looking))
  let turn = 0
  const viewers = stage.viewers({ portOf: () => (ready[turn++ % ready.length] ?? (services[0] as Server)).port })

  const restarts = await restartInTurn(services, settleTime, restarts => {
    say(`rolling: ${restarts.length} restarts, ${outcomes.total} of ${options.requests} requests, ${outcomes}`)
    return outcomes.total >= options.requests
  })
  await viewers.stop()

  const failed = outcomes.besides(isSuccess)
  const clean = restarts.filter(({ status }) => status === 0).length
  return [
    promised(
      'rolling restarts fail no request',
      failed === 0,
      `${failed} of ${outcomes.total} in ${restarts.length} restarts (${outcomes})`
    ),
    promised('stopped processes exit with status 0', clean === restarts.length, `${clean} of ${restarts.length}`),
    await nothingLost(ledger, db),
    complainsOfNothing(...services)
  ]
}

/** Milliseconds between two measurements of the memory. */
const weighEvery = 2000
/** Milliseconds between two faults, or less in a short run. */
const quiet = 20_000
/** Minutes below which a trend is meaningless, because caches are still being filled. */
const telling = 10
const growthAllowed = 1
/** Open handles that a service may need for itself and its connection pools, two per member of the replica set. */
const handlesAllowed = 200
/** Milliseconds within which the sockets of disconnected callers must be closed. */
const aftermath = 3000
/** Viewers of each service whose changes are followed. */
const followed = 4

const faults: Record<string, (set: ReplicaSet, dying: Server, lasting: number) => Promise<unknown>> = {
  'kill -9 of the primary': async (set, _dying, lasting) => {
    const member = await set.primary()
    await member.kill()
    await sleep(lasting)
    await member.revive()
  },
  'a frozen primary': async (set, _dying, lasting) => {
    const member = await set.primary()
    member.freeze()
    await sleep(lasting)
    member.thaw()
  },
  'kill -9 of a service': async (_set, dying) => {
    await dying.end('SIGKILL')
    await dying.run()
  }
}

/** The viewers of an ordinary evening, some of whom hang up, while one fault follows another. */
export const mixed: Scenario = async stage => {
  const { set, db, options, outcomes, ledger } = stage
  const lasting = options.election * 1500
  const watched = await stage.service({ TRAIN: 'auto' })
  const dying = await stage.service({ TRAIN: 'auto' })
  const count = Math.ceil(options.viewers / 2)
  const ofDying = new Outcomes()
  const viewers = [
    stage.viewers({ count, hangUp: true, portOf: () => watched.port }),
    stage.viewers({ count, hangUp: true, portOf: () => dying.port, firstUser: 1 + count, outcomes: ofDying })
  ]
  const agent = new Agent({ keepAlive: true })
  stage.onEnd(() => agent.destroy())
  const followers = startFollowers({
    users: [1, 1 + count].flatMap(first => Array.from({ length: Math.min(followed, count) }, (_, n) => first + n)),
    ask: (user, path) => ask(agent, watched.port, { path, user }),
    // Each user's changes are also streamed by the other process, and half of the streams break off with their process.
    stream: (user, since) => changesFollowing(agent, (user % 2 ? watched : dying).port, user, since),
    outcomes
  })
  stage.onEnd(followers.stop)

  const memory = new Trend()
  const weighing = setInterval(async () => memory.add((await watched.usage()).rss / 1e6), weighEvery)
  stage.onEnd(() => clearInterval(weighing))

  const end = performance.now() + options.minutes * 60_000
  const pause = Math.min(quiet, (options.minutes * 60_000) / 8)
  for (let turn = 0; performance.now() < end; turn++) {
    const [name, fault] = Object.entries(faults)[turn % Object.keys(faults).length] as [string, (typeof faults)[string]]
    await sleep(pause)
    say(`mixed: ${name}, after ${outcomes.total + ofDying.total} requests`)
    await fault(set, dying, lasting)
    await set.whole()
  }
  await sleep(pause)
  const busy = (await watched.usage()).resources.length
  for (const { stop } of viewers) await stop()
  const copies = await followers.compare()
  agent.destroy()
  clearInterval(weighing)
  await sleep(aftermath)
  const left = (await watched.usage()).resources
  const kinds: Counts = {}
  for (const kind of left) increment(kinds, kind)

  const { perMinute, minutes, last } = memory.line()
  return [
    await nothingLost(ledger, db),
    promised(
      'the copies of apps that follow the changes are equal to the lists',
      copies.different.length === 0 && copies.elements > 0,
      `${copies.elements} elements of ${followed * 2} viewers${copies.different.length > 0 ? `, but not ${copies.different.join(', ')}` : ''}`
    ),
    stays(watched, dying),
    answersAsPromised(outcomes),
    promised(
      'callers of a killed process also see broken connections, nothing else',
      ofDying.besides(kind => isPromised(kind) || isBroken(kind)) === 0,
      `${ofDying}`
    ),
    answersInTime(outcomes),
    promised(
      'memory grows by less than 1 MB a minute',
      minutes < telling ? undefined : perMinute < growthAllowed,
      `${perMinute.toFixed(2)} MB a minute over ${minutes.toFixed(1)} minutes, ${Math.round(last)} MB at the end`
    ),
    promised(
      'disconnected callers leave no open handles',
      left.length <= handlesAllowed,
      `${busy} under load, ${left.length} afterwards (${inWords(kinds)})`
    ),
    complainsOfNothing(watched, dying)
  ]
}
