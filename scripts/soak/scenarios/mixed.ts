import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Counts, increment, inWords } from '../counts.js'
import { answersAsPromised, answersInTime, complainsOfNothing, nothingLost, stays } from '../findings.js'
import { ask } from '../load/ask.js'
import { startFollowers } from '../load/followers.js'
import { isBroken, isPromised, Outcomes } from '../load/outcomes.js'
import type { ReplicaSet } from '../processes/replica-set.js'
import type { Service } from '../processes/service.js'
import { promised } from '../promises.js'
import type { Scenario } from '../scenario.js'
import { Trend } from '../trend.js'

const lookEvery = 2000
/** Milliseconds between two faults, or less in a short run. */
const quiet = 20_000
/** Minutes below which a trend says nothing, because memory is still being filled. */
const telling = 10
const growthAllowed = 1
/** Open handles that a service may need for itself and its connection pools: two for each of the three members of the replica set. */
const handlesAllowed = 200
/** Milliseconds until the sockets of disconnected callers are closed. */
const aftermath = 3000
/** Viewers of each service whose changes are followed. */
const followed = 4

type Fault = (set: ReplicaSet, dying: Service, lasting: number) => Promise<unknown>

const faults: Record<string, Fault> = {
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

/** Viewers as on a usual evening, some of whom hang up, while one fault follows another. */
export const mixed: Scenario = async ({ set, db, options, say }, stage) => {
  const { outcomes, ledger } = stage
  const lasting = options.election * 1500
  const watched = await stage.service({ TRAIN: 'auto' })
  const dying = await stage.service({ TRAIN: 'auto' })
  const count = Math.ceil(options.viewers / 2)
  const ofDying = new Outcomes()
  const usual = { count, hangUp: true }
  const viewers = [
    stage.viewers({ ...usual, portOf: () => watched.port }),
    stage.viewers({ ...usual, portOf: () => dying.port, firstUser: 1 + count, outcomes: ofDying })
  ]
  const firsts = [1, 1 + count]
  const agent = new Agent({ keepAlive: true })
  stage.onEnd(async () => agent.destroy())
  const followers = startFollowers({
    users: firsts.flatMap(first => Array.from({ length: Math.min(followed, count) }, (_, n) => first + n)),
    ask: (user, path) => ask(agent, watched.port, { path, user }),
    outcomes
  })
  stage.onEnd(followers.stop)

  const memory = new Trend()
  const look = async () => memory.add((await watched.holds()).rss / 1e6)
  const looking = setInterval(look, lookEvery)
  stage.onEnd(() => clearInterval(looking))

  const end = performance.now() + options.minutes * 60_000
  const pause = Math.min(quiet, (options.minutes * 60_000) / 8)
  for (let turn = 0; performance.now() < end; turn++) {
    const [name, fault] = Object.entries(faults)[turn % Object.keys(faults).length] as [string, Fault]
    await sleep(pause)
    say(`mixed: ${name}, after ${outcomes.total + ofDying.total} requests`)
    await fault(set, dying, lasting)
    await set.whole()
  }
  await sleep(pause)
  const busy = (await watched.holds()).resources.length
  for (const { stop } of viewers) await stop()
  const copies = await followers.compare()
  clearInterval(looking)
  await sleep(aftermath)
  const left = (await watched.holds()).resources

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
      `${busy} under load, ${left.length} afterwards (${inWords(tally(left))})`
    ),
    complainsOfNothing(watched, dying)
  ]
}

const tally = (kinds: string[]) => {
  const counts: Counts = {}
  for (const kind of kinds) increment(counts, kind)
  return counts
}
