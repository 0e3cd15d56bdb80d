import type { Db } from 'mongodb'
import { Ledger } from './load/ledger.js'
import { Outcomes } from './load/outcomes.js'
import { startViewers, type ViewersOptions } from './load/viewers.js'
import type { Options } from './options.js'
import type { ReplicaSet } from './processes/replica-set.js'
import { Service } from './processes/service.js'
import type { Finding } from './promises.js'

export interface Setting {
  set: ReplicaSet
  db: Db
  options: Options
  say: (line: string) => void
}

/** Damages or overloads the service, and resolves with which promises were kept. */
export type Scenario = (setting: Setting, stage: Stage) => Promise<Finding[]>

/** What a scenario has started. All of it is stopped at the end of the scenario. */
export class Stage {
  readonly ledger = new Ledger()
  readonly outcomes = new Outcomes()
  private readonly ends: (() => unknown)[] = []

  constructor(private readonly setting: Setting) {}

  async service(settings: Record<string, string> = {}) {
    const { set, options } = this.setting
    // When other tests run at the same time, a slow event loop says nothing about the service.
    const patience = options.brief ? { MAX_EVENT_LOOP_DELAY: '0' } : {}
    const service = await Service.start({ url: set.url, built: options.built, settings: { ...settings, ...patience } })
    this.onEnd(() => service.end('SIGKILL'))
    return service
  }

  viewers(given: Pick<ViewersOptions, 'portOf'> & Partial<ViewersOptions>) {
    const { viewers: count, pause, contents } = this.setting.options
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
