import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The peers are a package of their own, which whoever does not compare with them never has. */
export const installPeers = (say: (line: string) => void) => {
  if (existsSync(join(import.meta.dirname, 'node_modules', 'mongoose'))) return
  say('installing Express and Mongoose')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
    shell: process.platform === 'win32'
  })
}
