import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { startMongod } from '../scripts/mongod/start.js'
import { buildApp } from '../src/app.js'
import { readSettings, Settings } from '../src/config.js'
import { hashPassword } from '../src/identity/passwords.js'
import './warnings.js'

/** A database of one's own on the mongod of the run (scripts/test.ts), or on one for this file where it is run alone. */
const mongoUrl = async () => {
  const given = process.env.TEST_MONGO_URL
  if (given) return given
  const mongod = await startMongod({ say: line => t.comment(line) })
  t.teardown(mongod.stop)
  return mongod.url
}
const server = mongoUrl()

export const databaseUrl = async (t: Test) => {
  const url = `${await server}/test-${randomUUID()}`
  t.teardown(async () => {
    const client = await MongoClient.connect(url)
    await client.db().dropDatabase()
    await client.close()
  })
  return url
}

export const secret = 'a secret of the tests that is long enough'

export const settingsFor = (url: string, given: Record<string, string> = {}) =>
  readSettings(Settings, {
    MONGO_URL: url,
    JWT_SECRET: secret,
    RATE_LIMIT: '0',
    RATE_LIMIT_ADDRESS: '0',
    DRAIN_DELAY: '0',
    MAX_EVENT_LOOP_DELAY: '0',
    TRAIN: 'off',
    // A busy machine is no fault of the database; tests of such faults set their own.
    DATABASE_TIMEOUT: '15000',
    ...given
  })

export interface BuildOptions {
  settings?: Record<string, string>
  /** The lines of the log, where a test wants to read them. */
  log?: string[]
  url?: string
  /** Adds to the app before it is ready, where a test wants more routes than the service has. */
  extend?: (app: Awaited<ReturnType<typeof buildApp>>) => void
}

/** The app as production builds it. */
export const build = async (t: Test, { settings = {}, log, url, extend }: BuildOptions = {}) => {
  const logger = log ? { level: settings.LOG_LEVEL ?? 'info', stream: { write: (line: string) => log.push(line) } } : false
  const app = await buildApp(settingsFor(url ?? (await databaseUrl(t)), settings), { logger })
  t.teardown(() => app.close())
  extend?.(app)
  await app.ready()
  await app.started
  return app
}
export type App = Awaited<ReturnType<typeof build>>

export const password = 'correct horse battery staple'
const passwordHash = hashPassword(password)

export const addUser = async ({ data }: App, email = `${randomUUID()}@example.com`, name = 'A Viewer') =>
  data.users.add({ email, name, password_hash: await passwordHash })

/** The headers of a user who has just signed in, with a token made by the app's own signer. */
export const signIn = async (app: App, user?: { _id: number }) => {
  const known = user ? await app.data.users.byId(user._id) : await addUser(app)
  if (!known) throw new Error('No such user')
  const { access_token } = app.signedIn(known, await app.data.sessions.begin(known._id))
  return { authorization: `Bearer ${access_token}` }
}

/** A bare connection to an app that listens. */
export const connected = async ({ server }: App) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}
