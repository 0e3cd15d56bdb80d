import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { envSchema } from 'env-schema'
import { MongoClient } from 'mongodb'
import { isProxyList } from './http/proxies.js'
import { keyOf } from './identity/provider-keys.js'

const Whole = (description: string, fallback: number, rules: { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: 0, default: fallback, description, ...rules })
const Text = (description: string, fallback: string, rules: { pattern?: string; format?: string } = {}) =>
  Type.String({ default: fallback, description, ...rules })

/** The settings by subject, in the order in which docs/settings.md lists them. */
export const settingGroups = {
  Database: {
    MONGO_URL: Type.String({
      pattern: '^mongodb(\\+srv)?://.+',
      description: 'Connection string of MongoDB. The database is the one it names, or `viewer` if it names none'
    }),
    DATABASE_TIMEOUT: Whole('Milliseconds an operation on the database may take before the answer is a 503', 2000, {
      minimum: 100,
      maximum: 60_000
    }),
    DATABASE_CONNECTIONS: Whole(
      'Connections from each process to each member of the database, and so how many requests of viewers a process works on at once. Raise it if the database is far away',
      16,
      { minimum: 1, maximum: 1000 }
    )
  },
  'Tokens and login': {
    JWT_SECRET: Type.Optional(
      Type.String({
        description:
          'Secret that signs the access tokens, 32 bytes or more, the same in all processes. Required unless `JWT_JWKS_URL` or `JWT_PUBLIC_KEY` is set'
      })
    ),
    JWT_JWKS_URL: Text(
      'Address of the public keys (JWKS) of your identity provider. The service then accepts its tokens, and has no login of its own',
      '',
      { pattern: '^(https?://.+)?$' }
    ),
    JWT_PUBLIC_KEY: Text('Public key of your identity provider in PEM format, if it publishes no JWKS', ''),
    JWT_ISSUER: Text('Issuer (`iss`) that access tokens carry', 'viewer', { pattern: '.' }),
    JWT_AUDIENCE: Text('Audience (`aud`) that access tokens carry', 'viewer', { pattern: '.' }),
    ACCESS_TOKEN_TTL: Whole('Lifetime of an access token in seconds', 3600, { minimum: 1 }),
    REFRESH_TOKEN_TTL: Whole('Lifetime of a refresh token in seconds', 5_184_000, { minimum: 1 }),
    REFRESH_GRACE: Whole('Seconds during which a refresh token that was already used is refused without ending its session', 10),
    LOGIN_LIMIT: Whole(
      'Failed logins allowed in 15 minutes for one e-mail from one address. One address, or one e-mail, gets ten times as many, and the right password may be used 1,000 times. 0 turns these limits off',
      10
    )
  },
  Network: {
    HOST: Text('Address to listen on', '0.0.0.0', { pattern: '.' }),
    PORT: Whole('Port to listen on. 0 picks a free one', 3000, { maximum: 65_535 }),
    BASE_PATH: Text('Prefix of every path, for example `/viewer`', '', { pattern: '^(/[A-Za-z0-9._~-]+)*$' }),
    PUBLIC_URL: Text(
      'Origin under which callers reach the service, for example `https://api.example.com`. Without it, links use the origin of the request',
      '',
      { pattern: '^(https?://[^/?#\\s]+)?$' }
    ),
    CORS_ORIGIN: Text('Origins of web apps that may call the service, separated by commas, or `*` for any. Without it, none may', '', {
      pattern: '^(\\*|https?://[^/?#\\s,]+( *, *https?://[^/?#\\s,]+)*)?$'
    }),
    TRUST_PROXY: Text(
      'Proxies whose `X-Forwarded-*` headers are trusted: how many stand in front, or their networks, separated by commas',
      '',
      { format: 'proxies' }
    ),
    COUNTRY_HEADER: Text(
      "Name of the request header that holds the caller's ISO 3166 country, often set by a CDN. Without it, no content is limited by country",
      '',
      { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]*$" }
    )
  },
  Limits: {
    RATE_LIMIT: Whole('Requests a minute for one user. Each process counts for itself. 0 turns the limit off', 600),
    RATE_LIMIT_ADDRESS: Whole(
      'Requests a minute for one address, counting those without a valid token. Each process counts for itself. 0 turns the limit off',
      6000
    ),
    MAX_WAITING: Whole('Requests that may wait at once, most of them for the database. Any more get a 503. 0 turns the limit off', 256),
    MAX_EVENT_LOOP_DELAY: Whole('Milliseconds of event loop delay above which new requests get a 503. 0 turns the limit off', 1000)
  },
  'Catalogue and viewing': {
    CONTENT_CACHE_MB: Whole('Megabytes of contents to keep in memory, ready to send', 64, { minimum: 1 }),
    DEFAULT_LANGUAGE: Text('Language of legal and support texts when the caller asks for none', 'en', { pattern: '^[A-Za-z0-9-]+$' }),
    COMPLETED_AT: Whole('Percentage from which a content counts as completed', 90, { minimum: 1, maximum: 100 })
  },
  Recommendations: {
    INTEREST_FROM: Whole('Percentage below which a content that was started says nothing about what its viewer likes', 5, { maximum: 100 }),
    RECENT_DAYS: Whole('Days after its start date for which a recommended content is marked `recent`', 14),
    TRAIN: Type.Union([Type.Literal('auto'), Type.Literal('off')], {
      default: 'auto',
      description: 'Whether the service trains the recommendation model itself: `auto`, or `off` if you run `npm run train`'
    }),
    TRAIN_INTERVAL: Whole('Minutes after which the model is trained again', 360, { minimum: 1 }),
    TRAIN_SHARE: Whole('Growth of the history, in percent, after which the model is trained again at once', 20, { minimum: 1 }),
    TRAIN_MEMORY_MB: Whole('Megabytes a training may use. One that needs more is stopped', 1536, { minimum: 64 })
  },
  Operating: {
    DRAIN_DELAY: Whole('Milliseconds to go on serving after the signal to stop, so that load balancers can look away', 1000, {
      maximum: 600_000
    }),
    LOG_LEVEL: Type.Union(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map(level => Type.Literal(level)),
      { default: 'info', description: 'What is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`' }
    )
  }
}

export const Settings = Type.Object({
  ...settingGroups.Database,
  ...settingGroups['Tokens and login'],
  ...settingGroups.Network,
  ...settingGroups.Limits,
  ...settingGroups['Catalogue and viewing'],
  ...settingGroups.Recommendations,
  ...settingGroups.Operating
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
