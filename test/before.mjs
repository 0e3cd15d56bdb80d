import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// tap calls this before the first test file of a run. Starts the process that keeps the mongod of the run.
const keeper = fileURLToPath(new URL('../built/test/helpers/mongod.js', import.meta.url))
// tap puts NODE_OPTIONS back into the environment that `spawn` is given. With it, the coverage of this process would count.
const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, keeper, `${process.ppid}`], {
  detached: true,
  stdio: ['ignore', 'ignore', 'inherit', 'ipc']
})
const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['it ended'])])
if (message !== 'running') throw new Error(`There is no mongod for the tests: ${message}`)
child.disconnect()
child.unref()
