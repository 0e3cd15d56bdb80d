import { readFile } from 'node:fs/promises'
import t from 'tap'

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

t.test('the commands are there', async t => {
  const { scripts } = JSON.parse(await read('package.json'))
  const named = [...(await read('README.md')).matchAll(/npm run ([a-z]+)/g)].map(([, name]) => String(name))
  t.ok(named.length > 0)
  for (const name of named) t.ok(scripts[name], name)
})

t.test('what runs without the development tools is built', async t => {
  const { scripts } = JSON.parse(await read('package.json'))
  const built = await read('tsconfig.build.json')
  const commands = Object.values<string>(scripts).flatMap(script => /scripts\/run\.mjs ([a-z]+)/.exec(script)?.[1] ?? [])
  t.ok(commands.length > 0)
  for (const command of commands) t.match(built, `scripts/${command}.ts`)
})
