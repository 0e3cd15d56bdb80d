import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { attempt, run, type ShellOptions } from './shell.js'

/** The containers of a compose project, in its folder. */
export class Containers {
  readonly #place: ShellOptions

  constructor(place: ShellOptions) {
    this.#place = place
  }

  attempt(line: string, input = '') {
    return attempt(line, { ...this.#place, input })
  }

  run(line: string, input = '') {
    return run(line, { ...this.#place, input })
  }

  async inspect(format: string) {
    const ids = (await this.run('docker compose ps --all --quiet')).trim().split('\n')
    return (await this.run(`docker inspect --format '${format}' ${ids.join(' ')}`)).trim().split('\n').sort()
  }

  /** Runs a command line until `end` is reached, then interrupts it as Ctrl-C does. Resolves with what it printed. */
  async interrupted(line: string, end: () => Promise<unknown>) {
    const child = spawn('bash', ['-c', `exec 2>&1\nexec ${line}`], { ...this.#place, stdio: ['ignore', 'pipe', 'ignore'] })
    const exit = once(child, 'exit')
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      printed += text
    })
    await Promise.race([end(), exit])
    child.kill('SIGINT')
    await exit
    return printed
  }
}
