import { readFile } from 'node:fs/promises'
import t from 'tap'

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

t.test('CI runs what a newcomer runs, on every Node.js that is supported', async t => {
  const workflow = await read('.github/workflows/ci.yml')
  t.match(workflow, /^ {6}- run: \.ci\/run$/m)
  const nodes = /node: \[([\d, ]+)\]/.exec(workflow)?.[1]?.split(', ').map(Number) ?? []
  const { engines } = JSON.parse(await read('package.json'))
  t.equal(nodes[0], Number(/>=(\d+)/.exec(engines.node)?.[1]), 'from the oldest one')
  const development = Number(await read('.nvmrc'))
  t.ok(nodes.includes(development), 'the one that developers have')
  t.match(await read('Dockerfile'), new RegExp(`^FROM node:${development}\\.`, 'm'), 'the one that the image holds')
  const versions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => String(action))
  t.ok(versions.length > 0)
  for (const action of versions) t.match(action, /^actions\/[\w-]+@v\d+$/)
})

t.test('versions that are held back: package.json, the decision and Dependabot agree', async t => {
  const { dependencies, devDependencies } = JSON.parse(await read('package.json'))
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
