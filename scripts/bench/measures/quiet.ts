import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { mongodStatus } from './mongod-status.js'

const interval = 250
/** Operations of an interval in which nobody asks for anything: looks for revisions, and those of mongod. */
const idle = 20
const patience = 60

/** Seconds until the database has nothing more to do: a service may go on with requests that nobody waits for any more. */
export const secondsUntilQuiet = async (db: Db) => {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  let { operations } = await mongodStatus(db)
  while (seconds() < patience) {
    const since = seconds()
    await sleep(interval)
    const now = await mongodStatus(db)
    if (now.operations - operations <= idle) return since
    operations = now.operations
  }
  return patience
}
