import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.js'
import { readSettings, Settings } from '../../src/config.js'
import { appUrl, type Seed, seed } from './database.js'
import './warnings.js'

export const secret = 'a secret of the tests that is long enough'

const defaults = {
  DEVICE_URL: 'https://app.example.com/tv',
  JWT_SECRET: secret,
  RATE_LIMIT: '0',
  RATE_LIMIT_ADDRESS: '0',
  DRAIN_DELAY: '0',
  MAX_EVENT_LOOP_DELAY: '0',
  TRAIN: 'off',
  // A slow answer on a busy machine is not a fault of the database. Tests of such faults set their own.
  DATABASE_TIMEOUT: '15000'
}
const checked = new Map<string, Settings>()

/** Checks equal settings only once, because that takes an eighth of the time of a start. */
export const settingsFor = (url: string, given: Record<string, string> = {}) => {
  const name = JSON.stringify(given)
  const settings = checked.get(name) ?? readSettings(Settings, { ...defaults, MONGO_URL: url, ...given })
  checked.set(name, settings)
  return { ...settings, MONGO_URL: url }
}

export interface BuildOptions {
  settings?: Record<string, string>
  /** Receives the lines of the log. */
  log?: string[]
  url?: string
  /** Adds routes to the app before it is ready. */
  extend?: (app: Awaited<ReturnType<typeof buildApp>>) => void
}

/** The app as production builds it. */
export const build = async (t: Test, { settings = {}, log, url, extend }: BuildOptions = {}) => {
  const logger = log ? { level: settings.LOG_LEVEL ?? 'info', stream: { write: (line: string) => log.push(line) } } : false
  const app = await buildApp(settingsFor(url ?? (await appUrl(t)), settings), { logger })
  t.teardown(() => app.close())
  extend?.(app)
  await app.ready()
  await app.whenReady
  return app
}
export type App = Awaited<ReturnType<typeof build>>

/** The app on a database that holds these documents. */
export const buildWith = async (t: Test, documents: Seed, options: Omit<BuildOptions, 'url'> = {}) =>
  build(t, { ...options, url: await seed(await appUrl(t), documents) })

export const password = 'correct horse battery staple'
/** Cheap to check, unlike the hashes of the service, because hundreds of tests sign in. */
const passwordHash = hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })

export const addUser = async (
  { data }: App,
  email = `${randomUUID()}@example.com`,
  name = 'A Viewer',
  password_hash: string | Promise<string> = passwordHash
) => data.users.add({ email, name, password_hash: await password_hash })

/** The id of a user of an identity provider. */
export const providerUser = async ({ data }: App, iss: string, sub: string) => {
  const user = await data.users.ofProvider(iss, sub, new Date())
  if (!user) throw new Error('The user was erased')
  return user._id
}

/** A session that nothing has to be asked for. */
export const beginSession = async (
  { sessions }: Pick<App['data'], 'sessions'>,
  account: { _id: number },
  device: string | null = null,
  options: { user_id?: number; inPlaceOf?: number[] } = {}
) => {
  const begun = await sessions.begin(account, device, async () => true, options)
  if (!begun) throw new Error('The session was refused')
  return begun.session
}

/** The headers of a user who has just signed in, with a token made by the app's own signer. */
export const signIn = async (app: App, user?: { _id: number }) => {
  const known = user ? await app.data.users.byId(user._id) : await addUser(app)
  if (!known) throw new Error('No such user')
  const { access_token } = app.signedIn(known, await beginSession(app.data, known))
  return { authorization: `Bearer ${access_token}` }
}
