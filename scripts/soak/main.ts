import { connectionTo } from '../../src/data/driver/connection.js'
import { fill } from './data.js'
import { readOptions } from './options.js'
import { startReplicaSet } from './processes/replica-set.js'
import { scenarioNames, soak } from './soak.js'

const say = (line: string) => process.stderr.write(`${line}\n`)

// Child processes are killed on exit.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Tests what the service promises for when things go wrong: processes that die, a frozen database, overload. */
try {
  const options = readOptions(scenarioNames)
  say('starting a replica set of three')
  const set = await startReplicaSet(options.election)
  const { client, db } = connectionTo(set.url)
  try {
    await set.whole()
    await fill(db, options)
    const isKept = await soak({ set, db, options, say })
    console.log(isKept ? 'Every promise was kept.' : 'Promises were BROKEN.')
    process.exitCode = isKept ? 0 : 1
  } finally {
    await client.close()
    await set.stop()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
