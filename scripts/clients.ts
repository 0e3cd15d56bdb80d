import { clients } from './clients/generated-clients.js'
import { startService } from './clients/service.js'
import { tryClient } from './clients/try.js'
import { readersOf } from './command-line.js'

const usage = `Usage: npm run clients -- [CLIENT...]
  CLIENT  one or more clients or linters (all)`

const say = (line: string) => process.stderr.write(`${line}\n`)

// Child processes and mongod end with this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Generates clients from openapi.json with third-party tools, compiles them, and makes a viewer's journey with each. */
try {
  const names = readersOf(usage).some('client', Object.keys(clients), process.argv.slice(2))
  const service = await startService(say)
  try {
    for (const name of names) {
      const began = performance.now()
      const print = (text: string) => console.log(`${name.padEnd(22)} ${text} (${Math.round((performance.now() - began) / 1000)} s)`)
      await tryClient(name, clients[name] as (typeof clients)[string], service, say).then(print, ({ message }: Error) => {
        print('FAILED')
        say(message)
        process.exitCode = 1
      })
    }
  } finally {
    await service.stop()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
