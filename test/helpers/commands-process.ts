import { Readable } from 'node:stream'
import { built } from './run.js'

export interface Run {
  name: string
  args: readonly string[]
  /** The standard input. */
  input: string
  cwd: string
  /** Added to the environment of this run. */
  settings: Record<string, string>
}

export interface Ended {
  out: string
  err: string
  status: number
}

// Runs each command of `commands.ts` as if it had this process for itself.
const said = { out: '', err: '' }
for (const [name, stream] of [['out', process.stdout] as const, ['err', process.stderr] as const]) {
  stream.setMaxListeners(0)
  stream.write = (text: string | Uint8Array) => {
    said[name] += text
    return true
  }
}

let runs = 0
const env = { ...process.env }
process.on('message', async ({ name, args, input, cwd, settings }: Run) => {
  const script = built(`scripts/${name}.js`)
  Object.assign(said, { out: '', err: '' })
  process.argv.splice(1, Number.POSITIVE_INFINITY, script, ...args)
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true })
  process.chdir(cwd)
  process.exitCode = undefined
  process.env = { ...env, ...settings }
  // Another address each time, so that it is run again.
  await import(`${script}?${++runs}`)
  process.send?.({ ...said, status: Number(process.exitCode ?? 0) } satisfies Ended)
})
