import { hostname, userInfo } from 'node:os'
import { basename, relative } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { isUnavailable } from '../src/database/faults.js'
import { moment } from '../src/time.js'

/** How the caller started a command, for usage texts. The image has no npm scripts. */
export const invocationOf = (name: string, script = process.argv[1] as string) =>
  basename(script) === 'run.mjs' ? `npm run ${name} --` : `node ${relative('', script)}`

/** The message of an error. Says if the database does not respond. */
export const messageOf = (error: unknown) => {
  const { message } = error as Error
  return isUnavailable(error) ? `The database does not respond: ${message}` : message
}

/** Runs a command. If it fails, prints why and sets the exit status. */
export const orFail = async (run: () => Promise<void>) => {
  try {
    await run()
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}

/** Who runs the command, for the audit log. In a container, the user may have no name. */
export const operator = () => {
  let name = String(process.getuid?.())
  try {
    name = userInfo().username
  } catch {}
  return `${name}@${hostname()}`
}

/** Ignores that nobody reads the rest of the output, as after `list | head`. */
export const endWithReader = () => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

/** Prints what a command is doing, to standard error. Results are printed to standard output. */
export const say = (line: string) => process.stderr.write(`${line}\n`)

/** 128 plus the number of the signal, as in shells. */
const stoppedBy = { SIGINT: 130, SIGTERM: 143 } as const

/** Aborts at the first stop signal and sets the exit status for it. A second signal ends the process at once. */
export const stopOnSignal = (): AbortSignal => {
  const stop = new AbortController()
  for (const [signal, status] of Object.entries(stoppedBy)) {
    process.once(signal, () => {
      process.exitCode = status
      stop.abort()
    })
  }
  return stop.signal
}

/** Options with numeric values, and their defaults. */
export const sizeOptions = <Name extends string>(defaults: Record<Name, string>) =>
  Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }])) as Record<
    Name,
    { type: 'string'; default: string }
  >

/** Readers for command line values. Invalid values throw an error that ends with the usage. */
export const readersOf = (usage: string) => {
  const wrong = (sentence: string) => new Error(`${sentence}\n${usage}`)
  return {
    parsed: <Config extends ParseArgsConfig>(config: Config) => {
      try {
        return parseArgs(config)
      } catch (error) {
        throw wrong((error as Error).message)
      }
    },

    positive: (name: string, text: string) => {
      if (!/^\d*\.?\d+$/.test(text) || Number(text) === 0) throw wrong(`--${name} must be a number above 0`)
      return Number(text)
    },

    whole: (name: string, text: string) => {
      if (!/^[1-9]\d*$/.test(text)) throw wrong(`--${name} must be a whole number above 0`)
      return Number(text)
    },

    /** A date or a time of RFC 3339. */
    time: (name: string, text: string) => {
      const at = moment(text) ?? moment(`${text}T00:00:00Z`)
      if (!at) throw wrong(`--${name} ${text} is not a time`)
      return at
    },

    /** The requested names, or all if none are requested. */
    some: (kind: string, all: readonly string[], asked: string[]) => {
      const unknown = asked.find(name => !all.includes(name))
      if (unknown) throw wrong(`There is no ${kind} ${unknown}, only: ${all.join(', ')}`)
      return asked.length > 0 ? asked : [...all]
    }
  }
}
