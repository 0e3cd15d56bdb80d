import { mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMongod } from '../../scripts/mongod/start.js'
import { testFolder } from './folder.js'
import { runFolder } from './run.js'

// Runs in a process of its own, which test/before.mjs starts. Keeps the mongod of a test run until test/after.mjs asks it to end, or until
// tap is gone, so that a killed run leaves nothing behind.
const tap = Number(process.argv[2])
const folder = runFolder(tap)
const log: string[] = []

const isRunning = () => {
  try {
    return process.kill(tap, 0)
  } catch {
    return false
  }
}

let isAsked = false
process.once('SIGTERM', () => {
  isAsked = true
})

const mongod = await startMongod({ say: line => log.push(line), temporary: await testFolder() }).catch(({ message }) => {
  process.send?.([...log, message].join('\n'))
  return undefined
})
if (mongod) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'mongod.json'), JSON.stringify({ url: mongod.url, pid: process.pid }))
  process.send?.('running')
  while (!isAsked && isRunning()) await sleep(200)
  await mongod.stop()
}
await rm(folder, { recursive: true, force: true })
