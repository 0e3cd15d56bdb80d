import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { fillWithDemo } from '../demo/fill.js'
import { demoPassword, demoProfiles, demoUsers } from '../demo/users.js'
import { CommandSettings, environment, settingsOrExit } from '../src/config.js'
import { messageOf } from './command-line.js'
import { startReplicaSetOfOne } from './mongod/replica-set.js'
import { root } from './root.js'

const say = (line: string) => console.log(line)
const fail = (sentence: string): never => {
  console.error(sentence)
  process.exit(1)
}

const { HOST = 'localhost', PORT = '3000', BASE_PATH = '', MONGO_URL } = environment()
/** The database of MONGO_URL is filled with the demo only on request. */
const hasDemo = !MONGO_URL || process.argv.includes('--demo')
const address = `http://localhost:${PORT}${BASE_PATH}`

const isFree = async (port: number, host: string) => {
  const server = createServer().listen(port, host)
  const listening = once(server, 'listening').then(
    () => true,
    () => false
  )
  const free = await listening
  server.close()
  return free
}

/** A secret for this checkout, stored in a file so that sessions survive restarts. */
const keptSecret = async (file: string) => {
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known) return known
  const secret = randomBytes(48).toString('base64url')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, secret, { mode: 0o600 })
  return secret
}

/** Waits until the service is ready, then prints what to try. */
const greet = async () => {
  while ((await fetch(`${address}/ready`).catch(() => undefined))?.status !== 200) await new Promise(resolve => setTimeout(resolve, 200))
  if (!hasDemo)
    return say(`
  Service           ${address}
  Demo page         ${address}/
  Documentation     ${address}/docs
  Catalogue         npm run import -- PATH...
  Users             npm run user -- add EMAIL

  Press Ctrl-C to stop. The data is kept in the database of MONGO_URL
`)
  const [{ email, name }] = demoUsers
  const profiles = demoProfiles.map(({ name, max_age, pin }) => `${name} (${pin === undefined ? `up to ${max_age}` : `PIN ${pin}`})`)
  say(`
  Service           ${address}
  Demo page         ${address}/
  Documentation     ${address}/docs
  Login             ${email}  ${demoPassword}
  Household         ${[name, ...profiles].join(', ')}
  Commands          MONGO_URL=${url} npm run webhook -- list

  Try               curl '${address}/contents?perPage=3'
  Sign in           curl ${address}/login -d '{"email":"${email}","password":"${demoPassword}"}'

  Press Ctrl-C to stop. The data is kept in ${MONGO_URL ? 'the database of MONGO_URL' : '.data/'}
`)
}

if (!(await isFree(Number(PORT), HOST)))
  fail(`Port ${PORT} is in use: stop the process that listens there, or choose another port with PORT=3001 npm run dev`)
if (MONGO_URL) {
  settingsOrExit(CommandSettings)
  say(`using the database of MONGO_URL, ${hasDemo ? 'with' : 'without'} the demo`)
}
const mongod = MONGO_URL
  ? undefined
  : await startReplicaSetOfOne({ dataDir: resolve('.data/mongod'), say }).catch((error: Error) => fail(error.message))
const url = MONGO_URL || `${mongod?.url}/viewer`
if (hasDemo) {
  const origin = process.env.PUBLIC_URL ? `${process.env.PUBLIC_URL}${BASE_PATH}` : address
  const filled = await fillWithDemo(url, origin, say).catch(error => fail(messageOf(error)))
  if (!filled && MONGO_URL) fail('The database has data that is not the demo’s. Nothing was written. Leave out --demo to use it as it is')
}

const server = spawn('tsx', ['watch', '--clear-screen=false', join(root, 'scripts/dev/server.ts')], {
  stdio: 'inherit',
  env: {
    DRAIN_DELAY: '0',
    CORS_ORIGIN: 'http://localhost:*, https://localhost:*, http://127.0.0.1:*',
    DEVICE_URL: `${address}/#device`,
    MAX_STREAMS: '2',
    ...process.env,
    HOST,
    PORT,
    MONGO_URL: url,
    JWT_SECRET: process.env.JWT_SECRET ?? (await keptSecret(resolve('.data/secret')))
  }
})
void greet()

// Ctrl-C in a terminal also reaches the server, which a second signal would interrupt, and npm forwards it to this process. A signal to npm
// or to this process alone does not reach the server.
let stop: NodeJS.Timeout | undefined
const stopAfter = (delay: number) => () => {
  stop ??= setTimeout(() => server.kill('SIGTERM'), delay)
}
process.on('SIGINT', stopAfter(1500))
process.on('SIGTERM', stopAfter(0))
const [status] = await once(server, 'exit')
clearTimeout(stop)
await mongod?.stop()
process.exit(status ?? 0)
