import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { mongodProcess, runFolder } from './helpers/run.js'

// tap calls this after the last test file of a run. The process that keeps mongod removes the folder of the run as the last thing.
process.kill(mongodProcess().pid, 'SIGTERM')
while (existsSync(runFolder)) await sleep(50)
