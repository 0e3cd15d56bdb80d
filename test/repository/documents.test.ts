import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import type { IndexDescription } from 'mongodb'
import t from 'tap'
import { Export } from '../../schemas/export.js'
import { importKinds } from '../../schemas/import.js'
import { clients } from '../../scripts/clients/generated.js'
import { settingsDocument, withRunCode } from '../../scripts/docs.js'
import { freePort } from '../../scripts/processes.js'
import { root } from '../../scripts/root.js'
import { entrySize } from '../../src/cache.js'
import { Settings } from '../../src/config.js'
import { indexes } from '../../src/database/collections.js'
import { callerOf } from '../../src/http/addresses.js'
import { securityHeaders } from '../../src/http/reply.js'
import { sessionsPerUser } from '../../src/identity/session-ends.js'
import { timeoutMargin } from '../../src/overload/deadlines.js'
import { viewerLists } from '../../src/viewing/viewer-lists.js'
import { apart } from '../helpers/apart.js'
import { databaseUrl } from '../helpers/database.js'
import { folderOf } from '../helpers/folder.js'
import { committedText, type Document, type Schema } from '../helpers/openapi.js'
import { built } from '../helpers/run.js'
import { serving } from '../helpers/serving.js'
import { until } from '../helpers/until.js'
import { film, lines, rail, show, term } from '../import/helper.js'

const run = promisify(execFile)
const page = await readFile(join(root, 'docs/catalogue.md'), 'utf8')
const blocks = [...page.matchAll(/```(?:sh|js|json)\n(.*?)```/gs)].map(([, block]) => String(block))
const blockWith = (text: string) => blocks.find(block => block.includes(text)) ?? ''
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false
)

const read = (path: string) => readFile(join(root, path), 'utf8')

const markdownIn = async (folder: string, recursive = false) =>
  (await readdir(join(root, folder), { recursive })).filter(name => name.endsWith('.md')).map(name => join(folder, name))
const documents = (
  await Promise.all([
    markdownIn('.'),
    markdownIn('docs', true),
    markdownIn('client'),
    markdownIn('deploy', true),
    markdownIn('.github', true)
  ])
).flat()

const withoutBlocks = (text: string) => text.replace(/^ *```.*?^ *```/gms, '')

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-')
const anchorsOf = async (path: string) =>
  [...withoutBlocks(await read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

t.test('every link between documents leads somewhere', async t => {
  t.ok(documents.length > 20)
  for (const path of documents) {
    for (const [, link = ''] of withoutBlocks(await read(path)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : normalize(join(path, '..', file))
      t.ok(existsSync(join(root, target)), `${path}: ${link}`)
      if (anchor) t.ok((await anchorsOf(target)).includes(anchor), `${path}: ${link}`)
    }
  }
})

const folders = ['src', 'plugins', 'routes', 'schemas', 'scripts', 'test', 'docs', 'demo', 'client', 'deploy', '.ci', '.github']
/** Names in documents that look like files of the repository: files that commands write, and a method. */
const otherNames = ['receiver.mjs', 'history.json', 'settings.json', 'reply.json']

t.test('every file that a document names is there', async t => {
  const inFolders = await Promise.all(folders.map(folder => readdir(join(root, folder), { recursive: true })))
  const names = new Set([...(await readdir(root)), ...inFolders.flat().map(path => basename(path))])
  const inFolder = new RegExp(`\`((?:${folders.join('|').replaceAll('.', '\\.')})/[\\w./-]*)\``, 'g')
  const alone = /`([\w.-]+\.(?:ts|js|mjs|json|ya?ml|md|css|py|cfg|conf)|Dockerfile|LICENSE|\.\w+rc)`/g
  for (const path of documents) {
    const text = await read(path)
    for (const [, file = ''] of text.matchAll(inFolder)) t.ok(existsSync(join(root, file)), `${path}: ${file}`)
    for (const [, name = ''] of text.matchAll(alone)) t.ok(names.has(name) || otherNames.includes(name), `${path}: ${name}`)
  }
})

t.test('every command that a document names is there', async t => {
  const { scripts } = JSON.parse(await read('package.json'))
  for (const path of documents)
    for (const [, name = ''] of (await read(path)).matchAll(/npm run ([a-z:]+)/g)) t.ok(scripts[name], `${path}: npm run ${name}`)
})

t.test('docs/settings.md', async t => {
  t.equal(await read('docs/settings.md'), settingsDocument(), 'docs/settings.md is outdated: run `npm run docs`')

  const rows = [...settingsDocument().matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => String(name))
  t.strictSame(rows.sort(), Object.keys(Settings.properties).sort(), 'every setting is listed once')
})

t.test('docs/clients.md', async t => {
  const document = await read('docs/clients.md')
  t.equal(document, withRunCode(document), 'docs/clients.md is outdated: run `npm run docs`')
  for (const [name, { steps, isCompiledOnly }] of Object.entries(clients)) {
    if (!steps) continue
    t.match(document, `<!-- command: ${name} -->`)
    if (!isCompiledOnly) t.match(document, `<!-- use: ${name}/`)
  }
})

t.test('a document that quotes a client or lines that do not exist is an error', t => {
  const quoting = (what: string) => () => withRunCode(`<!-- ${what} -->\n\`\`\`sh\n\`\`\`\n`)
  t.throws(quoting('command: cobol'), /no client cobol/)
  t.throws(quoting('use: java/pom.xml'), /no lines between/)
  t.match(quoting('aside')(), /^<!-- aside -->\n```sh\n```$/m)
  t.end()
})

t.test('every setting that a document names is there', async t => {
  for (const path of documents) {
    for (const [, name = ''] of (await read(path)).matchAll(/`([A-Z]+_[A-Z_]+)`/g))
      t.ok(name in Settings.properties || name.startsWith('MONGOMS_'), `${path}: ${name}`)
  }
})

/** The line that marks a record as replaced, and the file of the record that replaces it. */
const replacementIn = (text: string) =>
  /^# .+\n\n[\d-]+\n\nNo longer binding: replaced by \[\d{3}\]\((\d{3}-[\w-]+\.md)\)\n\n## /.exec(text)?.[1]

t.test('docs/decisions', async t => {
  const index = await read('docs/decisions/README.md')
  const records = documents.filter(path => /decisions\/\d/.test(path)).sort()
  t.ok(records.length > 20)
  const rows = await Promise.all(
    records.map(async path => {
      const text = await read(path)
      const file = path.split('/').at(-1) as string
      const [, number, title, date] = /^# (\d{3}) (.+)\n\n(\d{4}-\d\d-\d\d)\n/.exec(text) ?? []
      const by = replacementIn(text)
      t.equal(by !== undefined, text.includes('No longer binding'), `${file} says below its date what replaces it`)
      if (by) t.ok(existsSync(join(root, 'docs/decisions', by)), `${file}: ${by}`)
      const standing = by === undefined ? '' : ` (no longer binding: [${by.slice(0, 3)}](${by}))`
      const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
      t.strictSame(parts, ['Decision', 'Context', 'Measured', 'What would change it'], file)
      t.ok(file.startsWith(`${number}-`), file)
      const body = text.replace(/^(?:#.*|\d{4}-\d\d-\d\d|No longer binding: .*)$/gm, '').trim()
      t.ok(body.split(/\s+/).length <= 300, `${file} is short`)
      return `| [${number}](${file}) | ${title}${standing} | ${date} |`
    })
  )
  t.strictSame(
    index.split('\n').filter(line => /^\| \[\d/.test(line)),
    rows,
    'the index lists every record'
  )
})

// Whoever adds something learns here which documents have to name it.

/** The part of a document from one text to the next one of the other. */
const between = (text: string, from: string, to: string) => {
  const start = text.indexOf(from)
  return start === -1 ? '' : text.slice(start, text.indexOf(to, start + from.length))
}

const codes = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => String(code))

/** The code in the first cell of each row of a table. */
const firstCells = (text: string) => text.split('\n').flatMap(line => (line.startsWith('| `') ? codes(line.split('|')[1] as string) : []))

t.test('import files', async t => {
  const table = firstCells(between(await read('docs/commands.md'), '## import', '\n## '))
  const list = codes(between(await read('docs/catalogue.md'), '`{file}` is', 'The body is'))
  for (const kind of importKinds) {
    t.ok(table.includes(kind), `the table of files in docs/commands.md names ${kind}`)
    t.ok(list.includes(kind), `the list after {file} in docs/catalogue.md names ${kind}`)
  }
})

/** All properties in a schema and its parts, by name. */
const propertiesIn = (node: unknown): [string, Schema][] => {
  if (typeof node !== 'object' || node === null) return []
  const { properties = {}, ...others } = node as Schema
  const parts = Object.entries(others).flatMap(([keyword, part]) => (/^examples?$/.test(keyword) ? [] : propertiesIn(part)))
  return [...Object.entries(properties), ...Object.values(properties).flatMap(propertiesIn), ...parts]
}

const interfacePages = async () => (await Promise.all((await markdownIn('docs/interface')).map(read))).join('\n')

t.test('parameters and fields of the interface', async t => {
  const { paths, components }: Document = JSON.parse(await committedText())
  const specification = await read('docs/interface-spec.md')
  // The tables of the specification have names without backticks, and several in a cell.
  const specified = [...specification.matchAll(/^\| ([\w, ]+) \|/gm)].flatMap(([, cell = '']) => cell.split(', '))
  const inCode = [...codes(specification), ...codes(await interfacePages())]
  const known = new Set([...specified, ...inCode.flatMap(code => code.match(/\w+/g) ?? [])])

  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  const parameters = operations.flatMap(({ parameters = [] }) => parameters.filter(given => given.in === 'query'))
  const fields = Object.values(components.schemas).flatMap(propertiesIn)
  t.ok(parameters.some(({ name }) => name === 'perPage') && fields.some(([name]) => name === 'content_id'))
  const described = (named: [string, { description?: string }][]) => named.flatMap(([name, { description }]) => (description ? [name] : []))
  const explained = new Set([...known, ...described(fields), ...described(parameters.map(given => [given.name, given]))])
  for (const { name } of parameters) t.ok(explained.has(name), `the query parameter ${name} has a description`)
  for (const [name] of fields) t.ok(explained.has(name), `the field ${name} has a description, or docs/interface names it`)
})

const sourcesIn = async (...folders: string[]) => {
  const paths = folders.map(async folder => (await readdir(join(root, folder), { recursive: true })).map(name => join(folder, name)))
  return Promise.all((await Promise.all(paths)).flat().flatMap(path => (path.endsWith('.ts') ? [read(path)] : [])))
}
const matchesIn = (sources: string[], pattern: RegExp) =>
  new Set(sources.flatMap(source => [...source.matchAll(pattern)].map(([, match]) => String(match))))

const owners = ['user_id', 'account_id']
const beginsWithOwner = ({ key }: IndexDescription) => owners.includes(Object.keys(key)[0] as string)
/** What one process reads for all viewers. */
const unsharded = ['webhook_events']

t.test('collections', async t => {
  const named = matchesIn(await sourcesIn('src'), /\bcollection(?:<[^()]+>)?\('(\w+)'\)/g)
  t.ok(named.has('leases') && 'history' in indexes)

  const ofIndexes = codes(await read('docs/indexes.md'))
  for (const name of new Set([...Object.keys(indexes), ...named])) t.ok(ofIndexes.includes(name), `docs/indexes.md names ${name}`)

  const stored = firstCells(between(await read('docs/privacy.md'), '## What is stored', '\n## '))
  const shards = /const lists = .+\nconst keys = .+/.exec(await read('docs/scale.md'))?.[0] ?? ''
  for (const [name, wanted] of Object.entries(indexes)) {
    if (!wanted.some(beginsWithOwner)) continue
    t.ok(stored.includes(name), `the table in docs/privacy.md names ${name}`)
    // A shard key has to be the beginning of every unique index.
    if (wanted.every(index => !index.unique || beginsWithOwner(index)) && !unsharded.includes(name))
      t.ok(shards.includes(`'${name}'`), `the commands in docs/scale.md shard ${name}`)
  }
})

t.test('lists of a viewer', async t => {
  const lists = Object.keys(viewerLists)
  const inExport = Object.keys(Export.properties).filter(name => !['users', 'seen', 'sessions', 'exported_at'].includes(name))
  t.strictSame(inExport, lists)
  for (const list of lists) t.ok((importKinds as string[]).includes(list), `an import takes ${list}, which are exported`)
  for (const [path, sentence] of [
    ['docs/privacy.md', /The file has [^.]*\./],
    ['docs/catalogue.md', /const left = .*/],
    ['docs/interface/offline.md', /GET \/changes covers [^:]*:/],
    ['docs/interface/profiles.md', /Elements of [^.]*\./]
  ] as const) {
    const [found = ''] = sentence.exec(await read(path)) ?? []
    for (const list of lists) t.ok(found.includes(list), `${path} names ${list}`)
  }
})

t.test('headers of answers', async t => {
  const { components }: Document = JSON.parse(await committedText())
  const set = matchesIn(await sourcesIn('src', 'plugins', 'routes'), /\.header\('([\w-]+)'/g)
  t.ok(set.has('location'))
  const known = codes(await interfacePages()).flatMap(code => code.toLowerCase().match(/[\w-]+/g) ?? [])
  const ofNode = ['connection', 'content-length', 'content-type']
  for (const name of new Set([...Object.keys(components.headers), ...Object.keys(securityHeaders), ...set]))
    if (!ofNode.includes(name)) t.ok(known.includes(name.toLowerCase()), `docs/interface names the header ${name}`)
})

t.test('the route that CONTRIBUTING.md shows is the one in the repository', async t => {
  const text = between(await read('CONTRIBUTING.md'), '## An endpoint, from the wire to the database', '\n## ')
  const route = await read('routes/hidden/index.ts')
  const shown = [...text.matchAll(/```ts\n(.*?)```|`(response: .*?)`/gs)].map(([, block, line]) => String(block ?? line))
  t.equal(shown.length, 2)
  for (const code of shown) t.ok(route.includes(code), code)
})

t.test('the README', async t => {
  t.test('what runs without the development tools is built', async t => {
    const { scripts } = JSON.parse(await read('package.json'))
    const built = await read('tsconfig.build.json')
    const commands = Object.values<string>(scripts).flatMap(script => /scripts\/run\.mjs ([a-z]+)/.exec(script)?.[1] ?? [])
    t.ok(commands.length > 0)
    for (const command of commands) t.match(built, `scripts/${command}.ts`)
  })

  t.test('it is short', async t => {
    t.ok((await read('README.md')).trim().split(/\s+/).length <= 700)
  })

  t.test('docs/interface.md has every operation of the OpenAPI document, and nothing else', async t => {
    const { paths } = JSON.parse(await read('openapi.json')) as { paths: Record<string, object> }
    const wanted = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path.replace(/{\w+}/g, '{}')}`)
    )
    const table = between(await read('docs/interface.md'), '## All endpoints', '\n## ')
    const listed = [...table.matchAll(/`((?:[A-Z]+ )+)(\/[^`]*)`/g)].flatMap(([, methods = '', path = '']) =>
      methods
        .trim()
        .split(' ')
        .map(method => `${method} ${path.replace(/{\w+}/g, '{}')}`)
    )
    const ofTheDocument = ['GET /openapi.json', 'GET /docs']
    t.strictSame(listed.sort(), [...wanted.filter(operation => !operation.startsWith('HEAD ')), ...ofTheDocument].sort())
  })

  t.test('docs/design.md has every folder', async t => {
    // What is committed, not what lies there: a newcomer may have made a folder of their own.
    const { stdout } = await promisify(execFile)('git', ['ls-files'], { cwd: root, maxBuffer: 2 ** 24 })
    const folders = [...new Set(stdout.split('\n').flatMap(path => /^([^/]+)\//.exec(path)?.[1] ?? []))]
    const rows = (await read('docs/design.md')).split('\n').filter(line => /^\| `[.\w]+\/`/.test(line))
    const listed = rows.flatMap(row => [...String(row.split('|')[1]).matchAll(/`([^`/]+)\/`/g)].map(([, name]) => String(name)))
    t.strictSame(listed.sort(), folders.sort())
  })
})

t.test('numbers in the documents', async t => {
  /** Without line breaks. */
  const read = async (path: string) => (await readFile(join(root, path), 'utf8')).replace(/\s+/g, ' ')

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
    for (const path of ['docs/operations.md', 'docs/interface/requests.md']) t.match((await read(path)).replaceAll('\n', ' '), condition)
  })

  t.test('how many sessions an account has', async t => {
    t.match(await read('docs/interface/signing-in.md'), `at most ${sessionsPerUser} sessions`)
    t.match(await read('docs/deployment.md'), `the ${sessionsPerUser} sessions per account`)
  })

  t.test('how many callers a process counts', async t => {
    const bound = bytesIn(await read('src/overload/rate-limit.ts'))
    const thousands = (key: number | string) => `${Math.floor(bound / entrySize(key) / 1000)},000`
    const longest = callerOf('2001:1db8:1111:1111::1')
    t.match(await read('docs/deployment.md'), `${thousands(1)} users and at least ${thousands(longest)} addresses`)
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
    const idle = 'sweeps of erased users, words for searches and nudges for streams, which read nothing until there are any'
    t.equal(follows, 6, `${reads}; and ${idle}`)
    t.match(await read('docs/scale.md'), 'a thousand processes cause four thousand tiny reads')
  })
})

t.test('the examples of docs/catalogue.md work', { skip: !hasCurl && 'there is no curl' }, async t => {
  const IMPORT_KEY = 'a key of the tests that nobody guesses'
  const { address: VIEWER_URL } = await serving(t, { settings: { MONGO_URL: await databaseUrl(t), IMPORT_KEY } })
  const folder = folderOf(t, {
    'webhook.mjs': blockWith('// webhook.mjs'),
    'nightly.sh': blockWith('# nightly.sh'),
    lists: {
      'terms.ndjson': lines(term(1)),
      'people.ndjson': lines({ id: 5, name: 'A new person' }),
      'contents.ndjson': lines(film(1, { terms: [1], credits: [{ person_id: 5, role: 'actor' }] })),
      'rail-collections.ndjson': lines({ ...rail(1), rails: [] }),
      'schedule.ndjson': lines(show(1))
    }
  })
  const env = { PATH: process.env.PATH, VIEWER_URL, IMPORT_KEY }
  const statusOf = async (id: number) => (await fetch(`${VIEWER_URL}/contents/${id}`)).status

  await t.test('one call', async t => {
    const { stdout } = await run('bash', ['-c', blockWith('LINES')], { env })
    t.strictSame(JSON.parse(stdout), JSON.parse(blockWith('"added":2')))
    await until(async () => (await statusOf(7002)) === 200)
  })

  await t.test('the webhook', async t => {
    const PORT = String(await freePort())
    const WEBHOOK_SECRET = 'a secret of the CMS'
    const webhook = spawn(...apart('webhook.mjs'), { cwd: folder, env: { ...env, PORT, WEBHOOK_SECRET }, stdio: 'inherit' })
    t.teardown(async () => {
      webhook.kill()
      await once(webhook, 'exit')
    })
    const send = (body: string, secret = WEBHOOK_SECRET) =>
      fetch(`http://127.0.0.1:${PORT}`, { method: 'POST', body, headers: { authorization: `Bearer ${secret}` } }).then(
        ({ status }) => status,
        () => 0
      )
    const event = (event: string, entry: unknown = { catalogue_id: 5, name: 'Five' }) => JSON.stringify({ event, model: 'film', entry })
    await until(async () => (await send('{}')) !== 0)
    t.equal(await send(event('entry.publish'), 'a guess'), 401)
    t.equal(await send('nonsense'), 400)
    t.equal(await send(event('entry.publish', 'null')), 400)
    t.equal(await send(JSON.stringify({ event: 'trigger-test' })), 204, 'the test button of the CMS')
    t.equal(await send(event('entry.update')), 204, 'a draft')
    t.equal(await statusOf(5), 404)
    t.equal(await send(event('entry.publish')), 200)
    await until(async () => (await statusOf(5)) === 200)
    t.equal(await send(event('entry.unpublish')), 200)
    await until(async () => (await statusOf(5)) === 404)
  })

  await t.test('the complete list', async t => {
    const { stdout } = await run('sh', ['nightly.sh', join(folder, 'lists')], { env, cwd: folder })
    t.match(stdout, /^contents: 200 .*"added":1,"changed":0,"unchanged":0,"removed":2/m)
    t.match(stdout, /^schedule: 200 .*"added":1/m)
    await until(async () => (await statusOf(1)) === 200)
    await writeFile(join(folder, 'lists', 'contents.ndjson'), '')
    const failed = await run('sh', ['nightly.sh', join(folder, 'lists')], { env, cwd: folder }).catch((error: { code: number }) => error)
    t.match(failed, { code: 1, stdout: '' }, 'a failed export is not sent')
  })
})

t.test('docs/moving-in.md brings somebody in', { skip: !hasCurl && 'there is no curl' }, async t => {
  const MONGO_URL = await databaseUrl(t)
  const { address: VIEWER_URL } = await serving(t, { settings: { MONGO_URL } })
  const cwd = folderOf(t)
  const env = { PATH: process.env.PATH, VIEWER_URL, MONGO_URL }
  const shell = (block = '') => {
    const [command, args] = apart(built('scripts/import.js'))
    return run('bash', ['-c', `set -euo pipefail\n${block.replace('npm run import --', [command, ...args].join(' '))}`], { cwd, env })
  }
  const [files, check, imported, look, ...others] = [...(await read('docs/moving-in.md')).matchAll(/```sh\n(.*?)```/gs)].map(
    ([, block]) => block
  )
  t.strictSame(others, [])
  await shell(files)
  const counted = await shell(check)
  t.notMatch(counted.stderr, /warning/)
  t.equal((await fetch(`${VIEWER_URL}/contents/4`)).status, 404)
  t.equal((await shell(imported)).stdout, counted.stdout)
  await until(async () => (await fetch(`${VIEWER_URL}/contents/4`)).status === 200)
  const { data } = JSON.parse((await shell(look)).stdout)
  t.match(data.collection, [{ content: { id: 3 }, history: { time: 1200, percentage: Number } }])
})
