import type { Db } from 'mongodb'
import { secret } from '../bench/servers/tokens.js'
import { readersOf, sizeOptions } from '../command-line.js'
import { Server, serviceIn } from '../servers.js'
import type { Finding } from './findings.js'
import { Ledger, Outcomes } from './outcomes.js'
import type { ReplicaSet } from './replica-set.js'
import { startViewers, type ViewersOptions } from './viewers.js'

const usage = `Usage: npm run soak -- [SCENARIO...] [options]
  SCENARIO        one or more scenarios (all)
  --minutes N     duration of the mixed load (30); the overload lasts a tenth of it
  --kills N       kills of the primary, and of the service (20)
  --requests N    requests during the rolling restart (50000)
  --election N    seconds after which the replica set elects another primary (10)
  --viewers N     concurrent callers (32)
  --pause N       milliseconds between a response and the caller's next request (5)
  --contents N    items in the catalogue (2000)
  --built DIR     folder of the built service (dist)
  --brief         as run by npm test and CI: skips what takes a minute or more, and tolerates
                  a machine that runs other tests at the same time`

const usual = { minutes: '30', kills: '20', requests: '50000', election: '10', viewers: '32', pause: '5', contents: '2000' }
type Size = keyof typeof usual

const { parsed, positive, some } = readersOf(usage)

export const readOptions = (scenarios: readonly string[], args = process.argv.slice(2)) => {
  const { positionals, values } = parsed({
    args,
    allowPositionals: true,
    options: { ...sizeOptions(usual), built: { type: 'string', default: 'dist' }, brief: { type: 'boolean', default: false } }
  })
  const size = (name: Size) => positive(name, values[name])
  return {
    minutes: size('minutes'),
    kills: size('kills'),
    requests: size('requests'),
    election: size('election'),
    viewers: size('viewers'),
    pause: size('pause'),
    contents: size('contents'),
    built: values.built,
    brief: values.brief,
    scenarios: some('scenario', scenarios, positionals)
  }
}
export type Options = ReturnType<typeof readOptions>

export const startService = (MONGO_URL: string, built: string, settings: Record<string, string>) =>
  Server.start({
    args: serviceIn(built),
    // All callers have the same address.
    settings: { MONGO_URL, JWT_SECRET: secret, RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0', LOGIN_LIMIT: '0', TRAIN: 'off', ...settings },
    ready: '/ready',
    isWatched: true
  })

/** Damages or overloads the service. Resolves with the promises, and whether they were kept. */
export type Scenario = (stage: Stage) => Promise<Finding[]>

/** What a scenario works with. Everything that it starts is stopped at its end. */
export class Stage {
  readonly ledger = new Ledger()
  readonly outcomes = new Outcomes()
  private readonly ends: (() => unknown)[] = []

  constructor(
    readonly set: ReplicaSet,
    readonly db: Db,
    readonly options: Options
  ) {}

  async service(settings: Record<string, string> = {}) {
    // If other tests run at the same time, a slow event loop is not the service's fault.
    const patience = this.options.brief ? { MAX_EVENT_LOOP_DELAY: '0' } : {}
    const service = await startService(this.set.url, this.options.built, { ...settings, ...patience })
    this.onEnd(() => service.end('SIGKILL'))
    return service
  }

  viewers(given: Pick<ViewersOptions, 'portOf'> & Partial<ViewersOptions>) {
    const { viewers: count, pause, contents } = this.options
    const viewers = startViewers({ count, pause, contents, outcomes: this.outcomes, ledger: this.ledger, ...given })
    this.onEnd(viewers.stop)
    return viewers
  }

  onEnd(end: () => unknown) {
    this.ends.push(end)
  }

  async clear() {
    for (const end of this.ends.reverse()) await end()
  }
}
