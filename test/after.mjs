import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

// tap calls this after the last test file of a run. The process that keeps mongod removes the folder of the run as the last thing.
const folder = new URL(`../.tap/run-${process.ppid}/`, import.meta.url)
process.kill(JSON.parse(readFileSync(new URL('mongod.json', folder), 'utf8')).pid, 'SIGTERM')
while (existsSync(folder)) await sleep(50)
