import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { envSchema } from 'env-schema'
import { MongoClient } from 'mongodb'
import { isProxyList } from './http.js'
import { keyOf } from './provider-keys.js'

const Whole = (description: string, fallback: number, rules: { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: 0, default: fallback, description, ...rules })
const Text = (description: string, fallback: string, rules: { pattern?: string; format?: string } = {}) =>
  Type.String({ default: fallback, description, ...rules })

export const Settings = Type.Object({
  MONGO_URL: Type.String({
    pattern: '^mongodb(\\+srv)?://.+',
    description: 'Connection string of MongoDB; the database is the one that it names, else `viewer`'
  }),
  JWT_SECRET: Type.Optional(
    Type.String({ description: 'Secret that signs the access tokens, 32 bytes or more. The same in all processes. Or one of the next two' })
  ),
  JWT_JWKS_URL: Text(
    "Address of the keys of an identity provider of one's own, whose tokens then count; login, refresh and logout are its affair",
    '',
    {
      pattern: '^(https?://.+)?$'
    }
  ),
  JWT_PUBLIC_KEY: Text('Its one public key in PEM, where it publishes none', ''),
  JWT_ISSUER: Text('`iss` of the access tokens', 'viewer', { pattern: '.' }),
  JWT_AUDIENCE: Text('`aud` of the access tokens', 'viewer', { pattern: '.' }),
  ACCESS_TOKEN_TTL: Whole('Life of an access token in seconds', 3600, { minimum: 1 }),
  REFRESH_TOKEN_TTL: Whole('Life of a refresh token in seconds', 5_184_000, { minimum: 1 }),
  REFRESH_GRACE: Whole('Seconds in which a spent refresh token may come again without revoking its session', 10),
  LOGIN_LIMIT: Whole(
    'Failed logins in 15 minutes for one e-mail from one address (ten times that for each alone, and 1,000 right ones for both); 0 is off',
    10
  ),
  HOST: Text('Address to listen at', '0.0.0.0', { pattern: '.' }),
  PORT: Whole('Port to listen at; 0 takes a free one', 3000, { maximum: 65_535 }),
  BASE_PATH: Text('Stands before every path, for example `/viewer`', '', { pattern: '^(/[A-Za-z0-9._~-]+)*$' }),
  PUBLIC_URL: Text(
    'Origin under which callers reach the service, for example `https://api.example.com`; without it, the one they asked',
    '',
    {
      pattern: '^(https?://[^/?#\\s]+)?$'
    }
  ),
  CORS_ORIGIN: Text('Origins of web apps that may call, a list with commas, or `*`; none without it', '', {
    pattern: '^(\\*|https?://[^/?#\\s,]+( *, *https?://[^/?#\\s,]+)*)?$'
  }),
  TRUST_PROXY: Text('Proxies in front whose `X-Forwarded-*` count: their number, or their networks with commas', '', {
    format: 'proxies'
  }),
  COUNTRY_HEADER: Text("Header with the caller's ISO 3166 country, for example the CDN's; without it, countries limit nothing", '', {
    pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]*$"
  }),
  RATE_LIMIT: Whole('Requests a minute for one user, in each process for itself; 0 is off', 600),
  RATE_LIMIT_ADDRESS: Whole('Requests a minute for one address without a valid token, in each process for itself; 0 is off', 6000),
  DATABASE_TIMEOUT: Whole('Milliseconds that the database may take for an operation before the answer is a 503', 2000, {
    minimum: 100,
    maximum: 60_000
  }),
  DATABASE_CONNECTIONS: Whole(
    'Connections to each member of the database, in each process, and requests of viewers that it works on at once; more where the database is far away',
    16,
    {
      minimum: 1,
      maximum: 1000
    }
  ),
  MAX_WAITING: Whole('Requests that may wait at once, most of them for the database, before new ones get a 503; 0 is off', 256),
  MAX_EVENT_LOOP_DELAY: Whole('Milliseconds of event loop delay beyond which new requests get a 503; 0 is off', 1000),
  DRAIN_DELAY: Whole('Milliseconds between the signal to stop and the end of listening, for balancers to look away', 1000, {
    maximum: 600_000
  }),
  CONTENT_CACHE_MB: Whole('Megabytes of contents kept in memory as they are sent', 64, { minimum: 1 }),
  COMPLETED_AT: Whole('Percentage from which on a content counts as completed', 90, { minimum: 1, maximum: 100 }),
  INTEREST_FROM: Whole('Percentage below which a content was barely started, which says nothing for recommendations', 5, { maximum: 100 }),
  RECENT_DAYS: Whole('Days for which a recommended content is called recent after its start', 14),
  TRAIN: Type.Union([Type.Literal('auto'), Type.Literal('off')], {
    default: 'auto',
    description: 'Whether the recommendation model is trained by the service: `auto`, or `off` where `npm run train` does it'
  }),
  TRAIN_INTERVAL: Whole('Minutes after which the model is trained anew', 360, { minimum: 1 }),
  TRAIN_SHARE: Whole('Percentage of new elements of history after which the model is trained anew at once', 20, { minimum: 1 }),
  TRAIN_MEMORY_MB: Whole('Megabytes that a training may take; one that needs more is given up', 1536, { minimum: 64 }),
  DEFAULT_LANGUAGE: Text('Language of legal and support texts when the caller names none', 'en', { pattern: '^[A-Za-z0-9-]+$' }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map(level => Type.Literal(level)),
    { default: 'info', description: 'What is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`' }
  )
})
export type Settings = Static<typeof Settings>

/** The settings of a command: the database alone. */
export const CommandSettings = Type.Pick(Settings, ['MONGO_URL'])

/** Says which settings are wrong and why, a sentence each. */
export class SettingsError extends Error {}

const ajv = addFormats.default(new Ajv.default({ allErrors: true, useDefaults: true, removeAdditional: true, verbose: true }))
ajv.addFormat('proxies', isProxyList)

/** The variables of the settings that are set. An empty one is how compose files and shells say that it is not. */
const given = (schema: TObject, env: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, { type }]) => {
      const value = env[name]
      if (value === undefined || value === '') return []
      return [[name, type === 'integer' && /^\d+$/.test(value) ? Number(value) : value]]
    })
  )

/** The values of the variables, those of a file `.env` included where there is one. */
const environment = (): NodeJS.ProcessEnv => {
  try {
    process.loadEnvFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return process.env
}

export const readSettings = <T extends TObject>(schema: T, env = environment()): Static<T> => {
  try {
    const data = given(schema, env)
    const settings = envSchema<Record<string, unknown>>({ schema: structuredClone(withTokens(schema, data)), data, env: false, ajv })
    refuseUnusableUrl(String(settings.MONGO_URL))
    refuseUnusableTokens(settings)
    return settings as Static<T>
  } catch (error) {
    throw new SettingsError(sentences(error, schema))
  }
}

/** The settings, or the end of the process with a sentence that says which one is wrong. */
export const settingsOrExit = <T extends TObject>(schema: T): Static<T> => {
  try {
    return readSettings(schema)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** The driver's own words for an address that it cannot use, and none of the address. */
const refuseUnusableUrl = (url: string) => {
  try {
    new MongoClient(url)
  } catch (error) {
    throw new Error(`MONGO_URL is wrong: ${(error as Error).message}`)
  }
}

const tokenSettings = ['JWT_SECRET', 'JWT_JWKS_URL', 'JWT_PUBLIC_KEY']

/** One of the ways to tokens is required; the usual one, where none is chosen. */
const withTokens = (schema: TObject, data: Record<string, unknown>): TObject => {
  const isChosen = !schema.properties.JWT_SECRET || tokenSettings.some(name => data[name] !== undefined)
  return isChosen ? schema : { ...schema, required: [...(schema.required as string[]), 'JWT_SECRET'] }
}

const refuseUnusableTokens = ({ JWT_SECRET, JWT_JWKS_URL, JWT_PUBLIC_KEY }: Record<string, unknown>) => {
  const chosen = [JWT_SECRET, JWT_JWKS_URL, JWT_PUBLIC_KEY].flatMap((value, i) => (value ? [tokenSettings[i]] : []))
  if (chosen.length > 1)
    throw new Error(`${chosen.join(' and ')} are set: tokens are made by the service or by an identity provider, set one`)
  if (JWT_SECRET) refuseWeakSecret(String(JWT_SECRET))
  if (!JWT_PUBLIC_KEY) return
  try {
    keyOf(String(JWT_PUBLIC_KEY))
  } catch (error) {
    throw new Error(`JWT_PUBLIC_KEY is wrong: ${(error as Error).message}`)
  }
}

/** What examples say in the place of a secret. */
const sample = /(replace|change)[-_ ]?me|your[-_ ]?(jwt[-_ ]?)?secret/i

const refuseWeakSecret = (secret: string) => {
  const advice = 'make one, for example with `openssl rand -base64 48`'
  if (Buffer.byteLength(secret) < 32) throw new Error(`JWT_SECRET is shorter than 32 bytes: ${advice}`)
  if (sample.test(secret)) throw new Error(`JWT_SECRET is a sample that anybody can read: ${advice}`)
}

interface SettingFault {
  keyword: string
  instancePath: string
  params: { missingProperty?: string }
}

const sentences = (error: unknown, schema: TObject) => {
  const { errors, message } = error as Error & { errors?: SettingFault[] }
  if (!errors) return message
  const names = new Set(errors.map(({ instancePath, params }) => params.missingProperty ?? instancePath.slice(1)))
  return [...names]
    .map(name => {
      const missing = errors.some(({ params }) => params.missingProperty === name)
      return `${name} is ${missing ? 'not set' : 'wrong'}: ${rule(schema.properties[name])}`
    })
    .join('\n')
}

const rule = ({ description, minimum, maximum }: Partial<TSchema> = {}) => {
  const bounds =
    minimum === undefined
      ? ''
      : maximum === undefined
        ? ` (a whole number from ${minimum})`
        : ` (a whole number from ${minimum} to ${maximum})`
  return `${description}${bounds}`
}
