import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { mongodStatus } from './mongod-status.js'

const interval = 250
/** Operations per interval without any requests: checks for revisions, and mongod's own. */
const idle = 20
const patience = 60

/** Seconds until the database is idle. A service may still be working for callers that have given up. */
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
