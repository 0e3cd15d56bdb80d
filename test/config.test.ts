import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CommandSettings, readSettings, Settings, settingsOrExit } from '../src/config.js'
import { secret } from './helpers/app.js'

const good = { MONGO_URL: 'mongodb://127.0.0.1:1/life', JWT_SECRET: secret }

t.test('settings', async t => {
  const wrong: Record<string, string[]> = {
    MONGO_URL: [
      'http://127.0.0.1',
      '127.0.0.1:27017',
      'mongodb://',
      'mongodb://127.0.0.1,',
      'mongodb://,127.0.0.1/life',
      'mongodb://127.0.0.1:port/life',
      'mongodb://127.0.0.1/life?nonsense=1'
    ],
    JWT_SECRET: [
      'short',
      'x'.repeat(31),
      'replace-me-by-a-secret-of-your-own',
      'CHANGE_ME-CHANGE_ME-CHANGE_ME-CHANGE_ME',
      'this is your-secret, keep it well and safe'
    ],
    IMPORT_KEY: ['short', 'x'.repeat(31), 'replace-me-by-a-secret-of-your-own'],
    PORT: ['65536', '-1', '3000.5', 'x', '0x50'],
    LOG_LEVEL: ['loud', 'INFO'],
    BASE_PATH: ['viewer', '/viewer/', '/', '/a b', '/a//b', '/a?b', '/:a', '/*'],
    PUBLIC_URL: ['api.example.com', 'ftp://api.example.com', 'https://api.example.com/path'],
    DEVICE_URL: ['app.example.com/tv', 'ftp://app.example.com', 'https://', 'https://a b', 'https://[/x'],
    TRUST_PROXY: ['nonsense', '-1', '10.0.0.0/99', '1.5', 'true'],
    CORS_ORIGIN: ['a.example', 'https://a.example/path'],
    ACCESS_TOKEN_TTL: ['0', '-1', '1h', '31536001'],
    REFRESH_TOKEN_TTL: ['0', 'x', '315360001', '8640000000000'],
    REFRESH_GRACE: ['-1', 'x', '86401'],
    RECENT_DAYS: ['36501'],
    TRAIN_INTERVAL: ['0', '525601'],
    AUDIT_DAYS: ['0', '36501'],
    LOGIN_LIMIT: ['-1', 'x', '1.5'],
    RATE_LIMIT: ['-1', 'many'],
    RATE_LIMIT_ADDRESS: ['-1', 'many'],
    DRAIN_DELAY: ['-1', '1s'],
    COUNTRY_HEADER: ['a b', 'a:'],
    DEFAULT_LANGUAGE: ['e n', 'en_us!']
  }
  for (const [name, values] of Object.entries(wrong)) {
    t.test(name, async t => {
      for (const value of values) t.throws(() => readSettings(Settings, { ...good, [name]: value }), { message: new RegExp(name) }, value)
    })
  }
  for (const [JWT_SECRET, what] of [
    ['éàüöñçß'.repeat(3).concat('ê'), 'it is bytes that count'],
    ['x'.repeat(32), 'a poor one of 32 bytes is a matter of the log']
  ] as const)
    t.doesNotThrow(() => readSettings(Settings, { ...good, JWT_SECRET }), what)
  t.match(readSettings(Settings, good), {
    PORT: 3000,
    BASE_PATH: '',
    JWT_ISSUER: 'viewer',
    JWT_AUDIENCE: 'viewer',
    ACCESS_TOKEN_TTL: 3600,
    REFRESH_TOKEN_TTL: 60 * 86_400,
    REFRESH_GRACE: 10,
    LOGIN_LIMIT: 10,
    RATE_LIMIT: 600,
    RATE_LIMIT_ADDRESS: 6000,
    DRAIN_DELAY: 1000,
    DEFAULT_LANGUAGE: 'en'
  })
})

t.test('all missing and wrong settings are reported at once, with the rule and without the value', async t => {
  const told = (env: Record<string, string>) => {
    try {
      readSettings(Settings, env)
    } catch (error) {
      return (error as Error).message.split('\n')
    }
    return []
  }
  t.match(told({}), [/^MONGO_URL is not set: Connection string of MongoDB/, /^JWT_SECRET is not set: Secret that signs/])
  t.strictSame(told({ ...good, PORT: '65536', ACCESS_TOKEN_TTL: 'hunter2', LOG_LEVEL: '' }), [
    'ACCESS_TOKEN_TTL is wrong: Lifetime of an access token in seconds, at most a year (an integer from 1 to 31536000)',
    'PORT is wrong: Port to listen on. 0 picks a free one (an integer from 0 to 65535)'
  ])
  t.match(told({ ...good, BASE_PATH: '/viewer/', PUBLIC_URL: 'https://a.example/path', DEFAULT_LANGUAGE: 'en_US' }), [
    /^BASE_PATH is wrong: .* without a slash at the end/,
    /^PUBLIC_URL is wrong: .* without a path/,
    /^DEFAULT_LANGUAGE is wrong: .*: letters, digits and `-`$/
  ])
  t.notMatch(told({ ...good, MONGO_URL: 'mongodb://viewer:hunter2@127.0.0.1:port/life' }).join(), 'hunter2')
})

/** Runs a command's reading of its settings in a folder, with the variables of a shell. */
const inFolder = (t: Test, folder: string, variables: Record<string, string>) => {
  const before = { folder: process.cwd(), env: { ...process.env } }
  const said: string[] = []
  const exit = t.capture(process, 'exit', () => {
    throw new Error('the end of the process')
  })
  t.capture(process.stderr, 'write', (line: string) => said.push(line) > 0)
  process.chdir(folder)
  for (const name of Object.keys(Settings.properties)) delete process.env[name]
  Object.assign(process.env, variables)
  t.teardown(() => {
    process.chdir(before.folder)
    process.env = before.env
  })
  return { said, exits: () => exit().map(({ args }) => args) }
}

t.test('settings come from the shell, and those that it lacks from a file .env', async t => {
  const folder = t.testdir({ '.env': `MONGO_URL=mongodb://127.0.0.1:1/of-the-file\nJWT_SECRET=${secret}\nPORT=1234` })
  const { exits } = inFolder(t, folder, { PORT: '5678' })
  t.match(settingsOrExit(Settings), { MONGO_URL: 'mongodb://127.0.0.1:1/of-the-file', PORT: 5678 })
  t.strictSame(exits(), [])
})

t.test('a process with wrong settings says so in a sentence and exits', async t => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{}, /^MONGO_URL is not set: .*\nJWT_SECRET is not set: .*\n$/],
    [{ ...good, PORT: 'http' }, /^PORT is wrong: .*\n$/],
    [{ ...good, TRUST_PROXY: 'nonsense' }, /^TRUST_PROXY is wrong: .*\n$/],
    [{ ...good, MONGO_URL: 'mongodb://127.0.0.1:port/life' }, /^MONGO_URL is wrong: .*\n$/],
    [{ ...good, MONGO_URL: 'mongodb://127.0.0.1/life?nonsense=1' }, /^MONGO_URL is wrong: .*\n$/]
  ]
  for (const [variables, sentence] of wrong)
    t.test(String(sentence), async t => {
      const { said, exits } = inFolder(t, t.testdir(), variables)
      t.throws(() => settingsOrExit(Settings), { message: 'the end of the process' })
      t.match(said, [sentence])
      t.equal(said.length, 1)
      t.notMatch(said.join(), secret)
      t.strictSame(exits(), [[1]])
    })

  t.test('a command needs only its database', async t => {
    const { said, exits } = inFolder(t, t.testdir(), {})
    t.throws(() => settingsOrExit(CommandSettings), { message: 'the end of the process' })
    t.match(said, [/^MONGO_URL is not set: .*\n$/])
    t.strictSame(exits(), [[1]])
  })
})

t.test('a file .env that cannot be read is an error', async t => {
  const folder = t.testdir({})
  mkdirSync(join(folder, '.env'))
  const { exits } = inFolder(t, folder, good)
  t.throws(() => settingsOrExit(Settings), { code: /^(?!ENOENT)/ })
  t.strictSame(exits(), [])
})
