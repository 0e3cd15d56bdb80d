import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import t from 'tap'

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
