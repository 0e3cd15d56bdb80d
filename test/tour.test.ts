import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { apart } from './apart.js'
import { build, databaseUrl } from './helper.js'

const run = promisify(execFile)
const curl = run('curl', ['--version']).then(
  () => true,
  () => false
)

t.test('the tour of the README, line by line, on the demo catalogue', { skip: !(await curl) && 'there is no curl' }, async t => {
  const url = await databaseUrl(t)
  await run(...apart('--import', 'tsx', 'scripts/demo.ts'), { env: { ...process.env, MONGO_URL: url } })
  const app = await build(t, { url })
  await app.listen({ host: 'localhost', port: 0 })
  const { port } = app.server.address() as AddressInfo

  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const tour = /## A first tour\n[^#]*?```sh\n(.*?)```/s.exec(readme)?.[1] ?? ''
  const lines = tour.split('\n').filter(line => line !== '')
  const calls = lines.filter(line => line.startsWith('curl '))
  t.ok(calls.length >= 10)

  const strict = 'set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body "$@" && echo; }\n'
  const { stdout } = await run('bash', ['-c', strict + tour.replaceAll('localhost:3000', `localhost:${port}`)])
  const answers = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  t.equal(answers.length, calls.length)
  for (const [n, { success, data }] of answers.entries()) {
    t.equal(success, true, `${calls[n]} succeeds`)
    const list = data?.collection ?? data
    if (Array.isArray(list)) t.ok(list.length > 0, `${calls[n]} shows something`)
  }
})
