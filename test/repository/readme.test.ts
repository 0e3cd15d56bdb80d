import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { entrySize } from '../../src/cache.js'
import { Settings } from '../../src/config.js'
import { sessionsPerUser } from '../../src/data/session-ends.js'
import { callerOf } from '../../src/http/addresses.js'
import { timeoutMargin } from '../../src/overload/deadlines.js'

t.test('the README', async t => {
  const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

  t.test('what runs without the development tools is built', async t => {
    const { scripts } = JSON.parse(await read('package.json'))
    const built = await read('tsconfig.build.json')
    const commands = Object.values<string>(scripts).flatMap(script => /scripts\/run\.mjs ([a-z]+)/.exec(script)?.[1] ?? [])
    t.ok(commands.length > 0)
    for (const command of commands) t.match(built, `scripts/${command}.ts`)
  })

  t.test('it is short', async t => {
    t.ok((await read('README.md')).trim().split(/\s+/).length <= 1200)
  })

  t.test('its table of the interface has every operation of the OpenAPI document, and nothing else', async t => {
    const { paths } = JSON.parse(await read('openapi.json')) as { paths: Record<string, object> }
    const wanted = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path.replace(/{\w+}/g, '{}')}`)
    )
    const table = /## The interface\n(.*?)\n## /s.exec(await read('README.md'))?.[1] ?? ''
    const listed = [...table.matchAll(/`((?:[A-Z]+ )+)(\/[^`]*)`/g)].flatMap(([, methods = '', path = '']) =>
      methods
        .trim()
        .split(' ')
        .map(method => `${method} ${path.replace(/{\w+}/g, '{}')}`)
    )
    const ofTheDocument = ['GET /openapi.json', 'GET /docs']
    t.strictSame(listed.sort(), [...wanted.filter(operation => !operation.startsWith('HEAD ')), ...ofTheDocument].sort())
  })

  t.test('its layout has every folder', async t => {
    const cwd = new URL('../..', import.meta.url)
    // What is committed, not what lies there: a newcomer may have made a folder of their own.
    const { stdout } = await promisify(execFile)('git', ['ls-files'], { cwd, maxBuffer: 2 ** 24 })
    const folders = [...new Set(stdout.split('\n').flatMap(path => /^([^/]+)\//.exec(path)?.[1] ?? []))]
    const rows = (await read('README.md')).split('\n').filter(line => /^\| `[.\w]+\/`/.test(line))
    const listed = rows.flatMap(row => [...String(row.split('|')[1]).matchAll(/`([^`/]+)\/`/g)].map(([, name]) => String(name)))
    t.strictSame(listed.sort(), folders.sort())
  })
})

t.test('numbers in the documents', async t => {
  const root = new URL('../..', import.meta.url).pathname
  const read = (path: string) => readFile(join(root, path), 'utf8')

  /** The texts of the sources. */
  const sources = async () => {
    const folders = ['src', 'plugins'].map(async folder =>
      (await readdir(join(root, folder), { recursive: true })).map(name => join(folder, name))
    )
    const paths = (await Promise.all(folders)).flat()
    return Promise.all(paths.filter(path => path.endsWith('.ts')).map(read))
  }
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

  /** The bytes of a product such as `16 * 1024 * 1024` in a source. */
  const bytesIn = (source: string) =>
    (/\d+(?: \* 1024)+/.exec(source)?.[0] ?? '0').split(' * ').reduce((bytes, factor) => bytes * Number(factor), 1)

  t.test('how long a caller waits for the database', async t => {
    const { default: byDefault } = Settings.properties.DATABASE_TIMEOUT
    t.ok(byDefault + timeoutMargin <= 3000)
    const condition = `is at most ${3000 - timeoutMargin} (default ${byDefault})`
    for (const path of ['docs/operations.md', 'docs/interface.md']) t.match(await read(path), condition)
  })

  t.test('how many sessions an account has', async t => {
    t.match(await read('docs/interface.md'), `| Sessions of a user | At most ${sessionsPerUser} `)
    t.match(await read('docs/operations.md'), `the ${sessionsPerUser} sessions per account`)
  })

  t.test('how many callers a process counts', async t => {
    const bound = bytesIn(await read('src/overload/rate-limit.ts'))
    const thousands = (key: number | string) => `${Math.floor(bound / entrySize(key) / 1000)},000`
    const longest = callerOf('2001:1db8:1111:1111::1')
    t.match(await read('docs/operations.md'), `${thousands(1)} users and\nat least ${thousands(longest)} addresses`)
  })

  t.test('how many bytes the caches take', async t => {
    const bounds = { always: 0, provider: 0 }
    for (const source of await sources()) {
      const stores = count(source, /new (?:Valid)?(?:Cache|RateLimit)\b(?!\(bound)/g)
      bounds[/userCacheBytes|class ChosenProfiles/.test(source) ? 'provider' : 'always'] += stores * bytesIn(source)
    }
    const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`
    const { always, provider } = bounds
    t.match(
      await read('docs/operations.md'),
      new RegExp(`plus at most ${megabytes(always)} of .*, or ${megabytes(always + provider)} with the users`)
    )
  })

  t.test('how often a process asks the database for changes', async t => {
    const follows = (await sources()).reduce((sum, source) => sum + count(source, /app\.follow\(/g), 0)
    const reads = 'refused users and limits, with the last restore: two reads; ended sessions; the catalogue'
    t.equal(follows, 4, `${reads}; and sweeps of erased users, which read nothing until one is due`)
    t.match(await read('docs/scale.md'), 'a thousand processes cause four thousand tiny\nreads')
  })
})
