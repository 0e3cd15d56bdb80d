import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from './cache.js'

const run = promisify(execFile)

/** A program that is built from a Go module, for example `github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0`. */
export const goProgram = async (module: string, say: (line: string) => void, options: string[] = []) => {
  const [path = '', version = ''] = module.split('@')
  // The last part of the path is the name of the program, unless it is the major version of the module.
  const name = path
    .replace(/\/v\d+$/, '')
    .split('/')
    .at(-1) as string
  const folder = join(cacheFolder('go'), `${name}-${version}`)
  const program = join(folder, name)
  if (existsSync(program)) return program

  say(`building ${module}`)
  await run('go', ['install', ...options, module], { env: { ...process.env, CGO_ENABLED: '0', GOBIN: folder } }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error(`${name} is built with Go, which is not installed: see https://go.dev/doc/install`) : error
    }
  )
  return program
}
