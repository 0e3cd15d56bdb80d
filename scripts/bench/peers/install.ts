import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }

/** The peers are a separate package, installed only when they are measured. */
export const installPeers = (say: (line: string) => void) => {
  if (Object.keys(dependencies).every(name => existsSync(join(here, 'node_modules', name)))) return
  say('installing Express, Mongoose, Nest and Feathers')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    stdio: 'inherit',
    shell: process.platform === 'win32'
  })
}
