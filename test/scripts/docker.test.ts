import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Documented } from '../../scripts/docker/documented.js'
import { attempt, run } from '../../scripts/docker/shell.js'

const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

t.test('npm run docker runs every command of the documents, each once', async t => {
  const documented = await Documented.read(here('docs/operations.md'))
  const journey = await readFile(here('scripts/docker/journey.ts'), 'utf8')
  const taken = [...journey.matchAll(/documented\.take\('(.*?)'\)/g)].map(([, words]) => String(words))
  t.ok(taken.length > 5)
  for (const words of taken) t.match(documented.take(words), words)
  t.equal(documented.unused, '')
  t.throws(() => documented.take(String(taken[0])), /has no command with/)
})

t.test('a command line is run as a shell runs it', async t => {
  t.strictSame(await attempt('echo one; echo two >&2; cat; exit 3', { input: 'three' }), { output: 'one\ntwo\nthree', status: 3 })
  t.equal(await run('echo "$WHAT"', { env: { ...process.env, WHAT: 'this' } }), 'this\n')
  await t.rejects(run('echo reason; false | true'), { message: /ended with 1:\nreason/ })
})
