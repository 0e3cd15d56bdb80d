import { connectionTo } from '../../src/database/connection.js'
import { orFail, say } from '../command-line.js'
import { exitOnSignal } from '../processes.js'
import { fill } from './data.js'
import { kill, mixed, primary, rolling } from './faults.js'
import { allKept, type Finding, sectionOf } from './findings.js'
import { attacks, overload } from './floods.js'
import { startReplicaSet } from './replica-set.js'
import { readOptions, type Scenario, Stage } from './stage.js'
import { webhooks } from './webhooks.js'

const scenarios: Record<string, Scenario> = { mixed, primary, kill, rolling, overload, attacks, webhooks }

exitOnSignal()

/** Tests what the service promises when things go wrong: processes that die, a frozen database, overload. */
await orFail(async () => {
  const options = readOptions(Object.keys(scenarios))
  say('starting a replica set of three')
  const set = await startReplicaSet(options.election)
  const { client, db } = connectionTo(set.url)
  try {
    await set.whole()
    await fill(db, options)
    const found: [name: string, findings: Finding[]][] = []
    for (const name of options.scenarios) {
      const stage = new Stage(set, db, options)
      try {
        found.push([name, await (scenarios[name] as Scenario)(stage)])
      } finally {
        await stage.clear()
      }
    }
    console.log(found.map(([name, findings]) => sectionOf(name, findings)).join('\n'))
    const isKept = allKept(found.flatMap(([, findings]) => findings))
    console.log(isKept ? 'Every promise was kept.' : 'Promises were BROKEN.')
    process.exitCode = isKept ? 0 : 1
  } finally {
    await client.close()
    await set.stop()
  }
})
