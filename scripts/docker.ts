import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideBaseImages } from './docker/base-images.js'
import { Containers } from './docker/containers.js'
import { Documented } from './docker/documented.js'
import { journey } from './docker/journey.js'
import { Service } from './docker/service.js'
import { attempt, run } from './docker/shell.js'
import { freePort } from './free-port.js'

const say = (line: string) => console.log(line)

// Ctrl-C in a terminal also interrupts the running command. This process goes on, to remove what was made.
process.on('SIGINT', () => {})

/** Builds the image from a clone and does with Docker what the documents say. */
const folder = await mkdtemp(join(tmpdir(), 'viewer-docker-'))
const clone = join(folder, 'viewer')
const port = await freePort()
// A project name of its own, and without settings of this shell, so that neither a running project nor they affect the result.
const { JWT_SECRET, PUBLIC_URL, LOG_LEVEL, IMPORT_KEY, ...inherited } = process.env
const env = { ...inherited, COMPOSE_PROJECT_NAME: `viewer-check-${port}`, PORT: String(port) }
const containers = new Containers({ cwd: clone, env })
let made: string[] = []
try {
  say((await run('docker version --format "Docker {{.Server.Version}}" && docker compose version')).trim())
  // Strict on purpose: the image must not depend on the modes of the files that it is made of.
  await run(`umask 077 && git clone --quiet . ${clone}`)
  made = await provideBaseImages(say)
  const documented = await Documented.read('docs/operations.md')
  await journey({ folder: clone, containers, documented, service: new Service(port), say })
} catch (error) {
  console.error((error as Error).message)
  console.error((await attempt('docker compose ps --all; docker compose logs --tail 20', { cwd: clone, env })).output)
  process.exitCode = 1
} finally {
  await attempt('docker compose down --volumes --rmi local', { cwd: clone, env: { ...env, JWT_SECRET: 'removed' } })
  for (const image of made) await attempt(`docker image rm ${image}`)
  await rm(folder, { recursive: true, force: true })
}
