import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { ErrorObject } from 'ajv'
import { MongoClient } from 'mongodb'
import { loginWindowMinutes, maxSuccessfulLogins } from './identity/attempts.js'
import { refuseUnusableTokens, refuseWeakSecret, withTokenSource } from './identity/secrets.js'
import { inputAjv, rule } from './validators.js'

const Integer = (description: string, fallback: number, rules: { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: 0, default: fallback, description, ...rules })
const Text = (description: string, fallback: string, rules: { pattern?: string; format?: string } = {}) =>
  Type.String({ default: fallback, description, ...rules })

/** The issuer of the service's own tokens. No identity provider may have it. */
export const ownIssuer = 'viewer'

/** The default of `COMPLETED_AT`, also for an import that is started without it. */
export const defaultCompletedAt = 90

/** The settings by subject, in the order of docs/settings.md. */
export const settingGroups = {
  Database: {
    MONGO_URL: Type.String({
      // If a host is empty, the driver only throws when it first connects.
      pattern: '^mongodb(\\+srv)?://([^@/]*@)?[^,/?]+(,[^,/?]+)*([/?].*)?$',
      description: 'Connection string of MongoDB (`mongodb://…` or `mongodb+srv://…`). If it names no database, the service uses `viewer`'
    }),
    DATABASE_TIMEOUT: Integer('How long a request waits for the database, in milliseconds. Half a second later, it returns 503', 2000, {
      minimum: 100,
      maximum: 60_000
    }),
    DATABASE_CONNECTIONS: Integer(
      'Size of the connection pool of each process, per database server. It is also the number of viewer requests that a process handles at once. Raise it if the database is far away. A process opens fourteen more connections for its own work',
      16,
      { minimum: 1, maximum: 1000 }
    )
  },
  'Tokens and login': {
    JWT_SECRET: Type.Optional(
      Type.String({
        description:
          'Secret that signs access tokens: at least 32 bytes, and the same in all processes. Required unless `JWT_JWKS_URL` or `JWT_PUBLIC_KEY` is set'
      })
    ),
    JWT_JWKS_URL: Text(
      'HTTP or HTTPS URL of the public keys (JWKS) of your identity provider. If set, the service accepts its tokens and has no login of its own',
      '',
      { pattern: '^(https?://.+)?$' }
    ),
    JWT_PUBLIC_KEY: Text('Public key of your identity provider in PEM format, if it has no JWKS URL', ''),
    JWT_ISSUER: Text('Issuer (`iss`) of access tokens', ownIssuer, { pattern: '.' }),
    JWT_AUDIENCE: Text('Audience (`aud`) of access tokens', 'viewer', { pattern: '.' }),
    ACCESS_TOKEN_TTL: Integer('Lifetime of an access token in seconds, at most a year', 3600, { minimum: 1, maximum: 31_536_000 }),
    REFRESH_TOKEN_TTL: Integer(
      'Lifetime of a refresh token in seconds, at most ten years. Each use returns a new token with a new lifetime',
      5_184_000,
      { minimum: 1, maximum: 315_360_000 }
    ),
    REFRESH_GRACE: Integer(
      'A refresh token that is used again is refused. If that is more than this many seconds after its first use, at most a day, it also ends its session',
      10,
      { maximum: 86_400 }
    ),
    LOGIN_LIMIT: Integer(
      `How many logins with one e-mail from one address may fail in ${loginWindowMinutes} minutes. Ten times as many may fail for one e-mail in total, and for one address in total. The PIN of a profile counts like an e-mail. Successful logins with one e-mail from one address are limited to ${maxSuccessfulLogins.toLocaleString('en')}. 0 turns these limits off`,
      10
    ),
    DEVICE_URL: Text(
      'URL of the page of your app where signed-in users type the code that a television shows. Without it, devices cannot sign in with a code',
      '',
      { pattern: '^(https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#]\\S*)?)?$' }
    )
  },
  Network: {
    HOST: Text('Address to listen on', '0.0.0.0', { pattern: '.' }),
    PORT: Integer('Port to listen on. 0 picks a free one', 3000, { maximum: 65_535 }),
    BASE_PATH: Text('Prefix of every path, for example `/viewer`: letters, digits and `._~-`, without a slash at the end', '', {
      pattern: '^(/[A-Za-z0-9._~-]+)*$'
    }),
    PUBLIC_URL: Text(
      'Public origin of the service for links in responses and in the OpenAPI document, for example `https://api.example.com`, without a path. By default, links use the origin of the request',
      '',
      { pattern: '^(https?://[^/?#\\s]+)?$' }
    ),
    CORS_ORIGIN: Text(
      'Origins of web apps that may call the service, for example `https://app.example.com`, without a path and separated by commas, or `*` for any. `http://localhost:*` stands for any port. By default, none may call it; with `npm run dev`, those on localhost may',
      '',
      { pattern: '^(\\*|https?://[^/?#\\s,]+( *, *https?://[^/?#\\s,]+)*)?$' }
    ),
    TRUST_PROXY: Text(
      'Proxies whose `X-Forwarded-*` headers are trusted: the number of proxies in front of the service, or their addresses and networks, for example `10.0.0.0/8`, separated by commas',
      '',
      { format: 'proxies' }
    ),
    COUNTRY_HEADER: Text(
      "Name of the request header, without spaces or a colon, that holds the caller's ISO 3166 country code, often set by a CDN. Without it, country restrictions do not apply",
      '',
      { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]*$" }
    )
  },
  Limits: {
    RATE_LIMIT: Integer(
      'Requests per minute for one account, counted by each process separately. A profile with an age limit is counted separately, except with an identity provider. 0 turns the limit off',
      600
    ),
    RATE_LIMIT_ADDRESS: Integer(
      'Requests without a valid token per minute for one address, counted by each process separately. 0 turns the limit off',
      6000
    ),
    MAX_STREAMS: Integer(
      'How many devices of an account may play at once, across all profiles. Requires apps that send `POST /playing`. Set it to the same value in all processes. 0 turns the limit off',
      0,
      { maximum: 100 }
    ),
    LIVE_STREAMS: Integer(
      'How many streams of changes (`GET /changes/stream`) a process keeps open. Beyond that, it returns 503. An account can have ten in each process, and gets 429 for more. 0 turns the endpoint off',
      5000
    ),
    MAX_IN_PROGRESS: Integer(
      'When this many requests are in progress, new ones return 503. A caller with less than an equal share of this number is still admitted, until twice as many are in progress. 0 turns the limit off',
      256
    ),
    MAX_EVENT_LOOP_DELAY: Integer('Event loop delay in milliseconds above which new requests return 503. 0 turns the limit off', 1000)
  },
  'Catalogue and viewing': {
    CONTENT_CACHE_MB: Integer('Size of the content cache in megabytes', 64, { minimum: 1 }),
    DEFAULT_LANGUAGE: Text(
      'Language of legal and support texts that exist in none of the languages that the caller accepts: letters, digits and `-`',
      'en',
      { pattern: '^[A-Za-z0-9-]+$' }
    ),
    COMPLETED_AT: Integer('Percentage from which an item counts as completed', defaultCompletedAt, { minimum: 1, maximum: 100 })
  },
  Recommendations: {
    INTEREST_FROM: Integer('Percentage below which a started item does not influence recommendations', 5, {
      maximum: 100
    }),
    RECENT_DAYS: Integer('Days after its start date during which a recommended title is marked `recent`, at most 36,500', 14, {
      maximum: 36_500
    }),
    TRAIN: Type.Union([Type.Literal('auto'), Type.Literal('off')], {
      default: 'auto',
      description: 'Whether the service itself trains the recommendation model: `auto`, or `off` if you run `npm run train`'
    }),
    TRAIN_INTERVAL: Integer('Minutes between two trainings of the model, at most a year', 360, { minimum: 1, maximum: 525_600 }),
    TRAIN_SHARE: Integer('By how many percent all histories must grow to start a training before `TRAIN_INTERVAL` has passed', 20, {
      minimum: 1
    }),
    TRAIN_MEMORY_MB: Integer('Memory limit of a training in megabytes. A training that exceeds it is stopped', 1536, { minimum: 64 })
  },
  Operating: {
    IMPORT_KEY: Type.Optional(
      Type.String({
        description:
          'Key for `POST /import/{file}`, which imports a catalogue over HTTP: at least 32 bytes. Without it, the endpoint does not exist'
      })
    ),
    AUDIT_DAYS: Integer('How many days the records of privileged actions are kept (`npm run audit`), at most 36,500', 365, {
      minimum: 1,
      maximum: 36_500
    }),
    DRAIN_DELAY: Integer(
      'How many milliseconds the service keeps serving after a stop signal, so that load balancers can redirect their traffic',
      1000,
      {
        maximum: 600_000
      }
    ),
    LOG_LEVEL: Type.Union(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map(level => Type.Literal(level)),
      { default: 'info', description: 'Lowest level that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`' }
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

export const CommandSettings = Type.Pick(Settings, ['MONGO_URL', 'AUDIT_DAYS'])

/** Its message has a line for each wrong setting. */
class SettingsError extends Error {}

export const readSettings = <T extends TObject>(schema: T, env = environment()): Static<T> => {
  const settings = given(schema, env)
  // Also fills in the defaults.
  if (!inputAjv.validate(withTokenSource(schema, settings), settings))
    throw new SettingsError(explained(inputAjv.errors as ErrorObject[], schema))
  try {
    refuseUnusableUrl(String(settings.MONGO_URL))
    refuseUnusableTokens(settings)
    if (settings.IMPORT_KEY) refuseWeakSecret('IMPORT_KEY', String(settings.IMPORT_KEY))
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
  return settings as Static<T>
}

/** Reads the settings. If one is wrong, prints why and ends the process. */
export const settingsOrExit = <T extends TObject>(schema: T): Static<T> => {
  try {
    return readSettings(schema)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** The driver's message says what is wrong with the URL, and does not reveal the password in it. */
const refuseUnusableUrl = (url: string) => {
  try {
    new MongoClient(url)
  } catch (error) {
    throw new Error(`MONGO_URL is wrong: ${(error as Error).message}`)
  }
}

/** The variables that are set. An empty variable counts as not set, because compose files and shells cannot leave one out. */
const given = (schema: TObject, env: NodeJS.ProcessEnv): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, { type }]) => {
      const value = env[name]
      if (value === undefined || value === '') return []
      return [[name, type === 'integer' && /^\d+$/.test(value) ? Number(value) : value]]
    })
  )

/** The environment variables, including those of a `.env` file. */
export const environment = (): NodeJS.ProcessEnv => {
  try {
    process.loadEnvFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return process.env
}

/** One line per wrong setting, with its name and rule, and without its value, which may be a secret. */
const explained = (errors: ErrorObject[], schema: TObject) => {
  const names = new Set(errors.map(({ instancePath, params }) => params.missingProperty ?? instancePath.slice(1)))
  return [...names]
    .map(name => {
      const isMissing = errors.some(({ params }) => params.missingProperty === name)
      return `${name} is ${isMissing ? 'not set' : 'wrong'}: ${explanation(schema.properties[name] as TSchema)}`
    })
    .join('\n')
}

/** Each description states the whole rule, except for the bounds of a number. */
const explanation = (schema: TSchema) => (schema.type === 'integer' ? `${schema.description} (${rule(schema)})` : schema.description)
