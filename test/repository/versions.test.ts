import { readFile } from 'node:fs/promises'
import t from 'tap'
import { settingsFor } from '../helpers/app.js'
import { built } from '../helpers/run.js'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const readJson = async (path: string) => JSON.parse(await read(path))

t.test('versions that are held back: package.json, the decision and Dependabot agree', async t => {
  const { dependencies, devDependencies } = await readJson('package.json')
  const installed: Record<string, string> = { ...dependencies, ...devDependencies }
  const record = await read('docs/decisions/022-pinned-versions.md')
  const rows = [...record.matchAll(/^\| `(.+?)` \| ([\d.x]+) \|/gm)].map(([, name = '', version = '']) => ({ name, version }))
  t.ok(rows.length > 0)
  for (const { name, version } of rows)
    t.ok(installed[name]?.replace(/^[~^]/, '').startsWith(version.replace('x', '')), `${name} stays at ${version}`)

  const [npm = ''] = (await read('.github/dependabot.yml')).split('package-ecosystem: docker')
  const ignored = [...npm.matchAll(/dependency-name: '?([^'\n]+)'?/g)].map(([, name]) => String(name))
  t.strictSame(ignored.sort(), rows.map(({ name }) => name).sort())
})

t.test('package.json alone says the version', async t => {
  const { version } = await readJson('package.json')
  t.match(version, /^\d+\.\d+\.\d+$/)
  t.equal((await readJson('openapi.json')).info.version, version)
  t.equal((await readJson('client/package.json')).version, version, 'the client has the version of the interface that it calls')

  t.test('and what is compiled knows it', async t => {
    const { buildApp } = await import(built('src/app.js'))
    const app = await buildApp(settingsFor('mongodb://127.0.0.1:1/none'), { logger: false })
    t.teardown(() => app.close())
    await app.ready()
    t.equal(app.swagger().info.version, version)
  })
})
