import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

interface ForkOptions {
  /** The URL of the module that starts it. */
  from: string
  heapLimitMb: number
}

/**
 * Runs a module in a process of its own, from source or compiled, like its caller. Drops its standard output, which the service uses for
 * its log.
 */
export const forkModule = (name: string, { from, heapLimitMb }: ForkOptions) => {
  const file = new URL(`./${name}${from.slice(-3)}`, from)
  return fork(fileURLToPath(file), {
    execArgv: [...process.execArgv, `--max-old-space-size=${heapLimitMb}`],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
}
