import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { serveDemo } from '../demo/service.js'
import { demoPassword, demoUsers } from '../demo/users.js'
import { type Client, clients, missingCalls, toolOf } from './clients/generated.js'
import { orFail, readersOf, say } from './command-line.js'
import { startMongod } from './mongod/start.js'
import { cacheFolder, exitOnSignal, missing, runProgram } from './processes.js'
import { root } from './root.js'

const usage = `Usage: npm run clients -- [CLIENT...]
  CLIENT  one or more clients or linters (all)`

const journeys = join(root, 'test', 'journeys')

/** No limits, because all journeys have the same address. */
const settings = { RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0', LOGIN_LIMIT: '0', DRAIN_DELAY: '0' }

const callOf = ({ method, routeOptions: { url }, headers }: FastifyRequest, status: number) =>
  `${method} ${url} ${status} ${headers.authorization ? 'with' : 'without'} a token`

interface Service {
  url: string
  /** The calls that the service has served. */
  calls: Set<string>
}

/** The document without a field that the service sends, so that clients that reject unknown fields fail. */
const olderDocument = (text: string) => {
  const document = JSON.parse(text)
  const { Content } = document.components.schemas
  delete Content.properties.link
  Content.required = Content.required.filter((name: string) => name !== 'link')
  return JSON.stringify(document)
}

/** A folder with the journey of a client, if it has one, and the document that the client is generated from. */
const prepare = async (name: string, { steps }: Client, { url }: Service) => {
  const published = await (await fetch(`${url}/openapi.json`)).text()
  const folder = join(cacheFolder('clients'), 'work', name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  if (existsSync(join(journeys, name))) await cp(join(journeys, name), folder, { recursive: true })
  await writeFile(join(folder, 'openapi.json'), steps ? olderDocument(published) : published)
  return folder
}

/** Generates a client and runs its journey. Resolves with what was done, or why it was skipped. Rejects if anything fails. */
const tryClient = async (name: string, client: Client, service: Service) => {
  const { commandLine, steps, isCompiledOnly } = client
  const { needs, start, args } = toolOf(commandLine)
  const lacking = missing(needs)
  if (lacking) return `skipped: ${lacking} is not installed`
  const cwd = await prepare(name, client, service)
  await runProgram([...(await start()), ...args], { cwd })
  if (!steps) return 'passed'
  const compiler = steps[0]?.[0] as string
  if (!isAbsolute(compiler) && missing([compiler])) return `generated, but not compiled: ${compiler} is not installed`

  service.calls.clear()
  const env = { ...process.env, VIEWER_URL: service.url, VIEWER_EMAIL: demoUsers[0].email, VIEWER_PASSWORD: demoPassword }
  for (const step of steps) await runProgram(step, { cwd, env })
  const left = isCompiledOnly ? [] : missingCalls(service.calls)
  if (left.length > 0) throw new Error(`The journey did not call: ${left.join(', ')}`)
  return 'passed'
}

exitOnSignal()

/** Generates clients from openapi.json with third-party tools, compiles them, and runs a viewer's journey with each. */
await orFail(async () => {
  const names = readersOf(usage).some('client', Object.keys(clients), process.argv.slice(2))
  const mongod = await startMongod({ say })
  const calls = new Set<string>()
  const { app, address } = await serveDemo(`${mongod.url}/clients`, settings, (request, status) => calls.add(callOf(request, status)))
  try {
    for (const name of names) {
      const began = performance.now()
      const print = (text: string) => console.log(`${name.padEnd(22)} ${text} (${Math.round((performance.now() - began) / 1000)} s)`)
      await tryClient(name, clients[name] as Client, { url: address, calls }).then(print, ({ message }: Error) => {
        print('FAILED')
        say(message)
        process.exitCode = 1
      })
    }
  } finally {
    await app.close()
    await mongod.stop()
  }
})
