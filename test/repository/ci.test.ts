import { readFile } from 'node:fs/promises'
import t from 'tap'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

t.test('CI runs what a newcomer runs, on every Node.js that is supported', async t => {
  const workflow = await read('.github/workflows/ci.yml')
  t.match(workflow, /^ {6}- run: \.ci\/run$/m)
  const nodes = /node: \[([\d, ]+)\]/.exec(workflow)?.[1]?.split(', ').map(Number) ?? []
  const { engines } = JSON.parse(await read('package.json'))
  t.equal(nodes[0], Number(/>=(\d+)/.exec(engines.node)?.[1]), 'the oldest version comes first')
  const development = Number(await read('.nvmrc'))
  t.ok(nodes.includes(development), 'the version for development is among them')
  t.match(await read('Dockerfile'), new RegExp(`^FROM node:${development}\\.`, 'm'), 'the image has the version for development')
  const versions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => String(action))
  t.ok(versions.length > 0)
  for (const action of versions) t.match(action, /^actions\/[\w-]+@v\d+$/)
})
