import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IndexDescription } from 'mongodb'
import t from 'tap'
import { securityHeaders } from '../../plugins/requests.js'
import { importKinds } from '../../schemas/import.js'
import { indexes } from '../../src/data/index.js'
import { committedText, type Document, type Schema } from '../helpers/openapi.js'

// Whoever adds something learns here which documents have to name it.

const root = new URL('../..', import.meta.url).pathname
const read = (path: string) => readFile(join(root, path), 'utf8')

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

/** All names of properties in a schema and its parts. */
const propertiesIn = (node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) return []
  const { properties = {}, ...others } = node as Schema
  const parts = Object.entries(others).flatMap(([keyword, part]) => (/^examples?$/.test(keyword) ? [] : propertiesIn(part)))
  return [...Object.keys(properties), ...Object.values(properties).flatMap(propertiesIn), ...parts]
}

t.test('parameters and fields of the interface', async t => {
  const { paths, components }: Document = JSON.parse(await committedText())
  const specification = await read('docs/interface-spec.md')
  // The tables of the specification have names without backticks, and several in a cell.
  const specified = [...specification.matchAll(/^\| ([\w, ]+) \|/gm)].flatMap(([, cell = '']) => cell.split(', '))
  const inCode = [...codes(specification), ...codes(await read('docs/interface.md'))]
  const known = new Set([...specified, ...inCode.flatMap(code => code.match(/\w+/g) ?? [])])

  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  const parameters = operations.flatMap(({ parameters = [] }) => parameters.flatMap(given => (given.in === 'query' ? [given.name] : [])))
  const fields = Object.values(components.schemas).flatMap(propertiesIn)
  t.ok(parameters.includes('perPage') && fields.includes('content_id'))
  for (const name of new Set(parameters)) t.ok(known.has(name), `docs/interface.md names the query parameter ${name}`)
  for (const name of new Set(fields)) t.ok(known.has(name), `docs/interface.md names the field ${name}`)
})

const sourcesIn = async (...folders: string[]) => {
  const paths = folders.map(async folder => (await readdir(join(root, folder), { recursive: true })).map(name => join(folder, name)))
  return Promise.all((await Promise.all(paths)).flat().flatMap(path => (path.endsWith('.ts') ? [read(path)] : [])))
}
const matchesIn = (sources: string[], pattern: RegExp) =>
  new Set(sources.flatMap(source => [...source.matchAll(pattern)].map(([, match]) => String(match))))

const beginsWithUser = ({ key }: IndexDescription) => Object.keys(key)[0] === 'user_id'

t.test('collections', async t => {
  const named = matchesIn(await sourcesIn('src'), /\bcollection(?:<[^()]+>)?\('(\w+)'\)/g)
  t.ok(named.has('leases') && 'history' in indexes)

  const ofIndexes = codes(await read('docs/indexes.md'))
  for (const name of new Set([...Object.keys(indexes), ...named])) t.ok(ofIndexes.includes(name), `docs/indexes.md names ${name}`)

  const stored = firstCells(between(await read('docs/privacy.md'), '## What is stored', '\n## '))
  const [, shards = ''] = /const names = \[(.+)\]/.exec(await read('docs/scale.md')) ?? []
  for (const [name, wanted] of Object.entries(indexes)) {
    if (!wanted.some(beginsWithUser)) continue
    t.ok(stored.includes(name), `the table in docs/privacy.md names ${name}`)
    // A shard key has to be the beginning of every unique index.
    if (wanted.every(index => !index.unique || beginsWithUser(index)))
      t.ok(shards.includes(`'${name}'`), `the commands in docs/scale.md shard ${name}`)
  }
})

t.test('headers of answers', async t => {
  const { components }: Document = JSON.parse(await committedText())
  const set = matchesIn(await sourcesIn('src', 'plugins', 'routes'), /\.header\('([\w-]+)'/g)
  t.ok(set.has('location'))
  const text = await read('docs/interface.md')
  const known = codes(text).flatMap(code => code.toLowerCase().match(/[\w-]+/g) ?? [])
  const ofNode = ['connection', 'content-length', 'content-type']
  for (const name of new Set([...Object.keys(components.headers), ...Object.keys(securityHeaders), ...set]))
    if (!ofNode.includes(name)) t.ok(known.includes(name.toLowerCase()), `docs/interface.md names the header ${name}`)
})

t.test('the route that CONTRIBUTING.md shows is the one in the repository', async t => {
  const text = between(await read('CONTRIBUTING.md'), '## An endpoint in four files', '\n## ')
  const route = await read('routes/profiles/index.ts')
  const shown = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => String(code))
  t.equal(shown.length, 2)
  for (const code of shown) t.ok(route.includes(code), code)
})
