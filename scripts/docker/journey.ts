import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoPassword, demoUsers } from '../../demo/users.js'
import { until } from '../until.js'
import type { Containers } from './containers.js'
import type { Documented } from './documented.js'
import { every, type Service } from './service.js'

export interface Parts {
  folder: string
  containers: Containers
  documented: Documented
  service: Service
  say: (line: string) => void
}

const seconds = (since: number) => Math.round((performance.now() - since) / 100) / 10

/** `docker compose` without a secret says how to come by one. With one, everything starts. */
const start = async ({ containers, documented, service, say }: Parts) => {
  const { output, status } = await containers.attempt('docker compose config')
  assert.notEqual(status, 0)
  assert.match(output, /JWT_SECRET.*openssl rand/)
  await containers.run(documented.take('JWT_SECRET='))
  const began = performance.now()
  await containers.run(documented.take('docker compose up'))
  await service.whenReady()
  say(`built and ready in ${seconds(began)} s`)
}

const fillWithDemo = async ({ containers, documented, service, say }: Parts) => {
  const line = documented.take('demo.js')
  assert.match(await containers.run(line), /Sign in as ada@example\.com/)
  const filled = async () => {
    const list = await service.read('/contents?type=show&perPage=1')
    return list.meta.total_count > 0 && list
  }
  const list = await until('The demo catalogue', filled, { within: 10_000, every })
  assert.equal(await service.picture(list.collection[0].thumbnail), 'image/svg+xml')
  const token = await service.signIn(demoUsers[0].email, demoPassword)
  for (const path of ['/continue-watching', '/history']) assert.ok((await service.read(path, token)).collection.length > 0, path)
  assert.ok((await service.read('/recommendations', token)).length > 0)
  assert.match(await containers.run(line), /updating the schedule/, 'a second time')
  say('the demo is there, with its thumbnails, beside the running service')
}

const importFiles = async ({ folder, containers, documented, service, say }: Parts) => {
  const files = join(folder, 'files')
  await mkdir(files)
  await writeFile(join(files, 'contents.ndjson'), `${JSON.stringify({ id: 900_001, type: 'film', name: 'Imported in Docker' })}\n`)
  for (const [path, mode] of [
    [files, 0o755],
    [join(files, 'contents.ndjson'), 0o644]
  ] as const)
    await chmod(path, mode)
  assert.match(await containers.run(documented.take('import.js')), /contents: 1 added/)
  await until('The imported content', async () => (await service.status('/contents/900001')) === 200, { within: 5000, every })
  say('a folder of files was imported')
}

const addUser = async ({ containers, documented, service, say }: Parts) => {
  const line = documented.take('user.js')
  await containers.run(line.replace('EMAIL', 'grace@example.com'), 'a password of her own\n')
  await service.signIn('grace@example.com', 'a password of her own')
  const { output, status } = await containers.attempt(line.replace(' add EMAIL', ''))
  assert.equal(status, 1)
  assert.match(output, /Usage: node dist\/scripts\/user\.js /)
  say('a user was added, and signs in')
}

const train = async ({ containers, documented, say }: Parts) => {
  const line = documented.take('train.js')
  const trained = async () => {
    const attempt = await containers.attempt(line)
    return (attempt.status === 0 || !attempt.output.includes('already training')) && attempt
  }
  const { output } = await until('A training', trained, { every })
  assert.match(output, /"users":\d+/)
  say('the model was trained')
}

/** Every container is healthy, and its checks leave no line in the log. */
const readLog = async ({ containers, documented, say }: Parts) => {
  const checks = () => containers.inspect('{{if .State.Health}}{{len .State.Health.Log}} {{.State.Health.Status}}{{end}}')
  const areHealthy = async () => (await checks()).filter(Boolean).every(health => /^[3-9] healthy$/.test(health))
  await until('The health of all containers', areHealthy, { within: 60_000, every, instead: async () => `: ${await checks()}` })
  const log = await containers.run(documented.take('docker compose logs'))
  assert.match(log, /"path":"\/history"/)
  assert.doesNotMatch(log, /"path":"\/(health|ready)".*"status":200/)
  say(`the service has logged ${log.trim().split('\n').length} lines, and none of its health checks`)
}

const allEndedWell = async ({ containers }: Parts) =>
  assert.deepEqual(await containers.inspect('{{.State.ExitCode}}'), ['0', '0', '0', '0'])

const stop = async (parts: Parts) => {
  const began = performance.now()
  await parts.containers.run('docker compose stop')
  const took = seconds(began)
  assert.ok(took < 15, `stopped in ${took} s`)
  await allEndedWell(parts)
  parts.say(`stopped in ${took} s, each container with status 0`)
}

/** In the foreground, `up` shows the log of the service and not that of the database. */
const foreground = async (parts: Parts) => {
  const { containers, service, say } = parts
  const printed = await containers.interrupted('docker compose up', () => service.whenReady())
  const count = printed.match(/viewer-1 +\|/g)?.length ?? 0
  assert.ok(count > 0, printed)
  assert.doesNotMatch(printed, /mongo-\d +\|/)
  await allEndedWell(parts)
  assert.equal(await service.status('/health'), 0, 'it is stopped')
  say(`docker compose up shows ${count} lines of the service and none of the database, and ends at Ctrl-C`)
}

const remove = async ({ containers, documented, say }: Parts) => {
  await containers.run(documented.take('docker compose down'))
  assert.equal((await containers.run('docker compose ps --all --quiet')).trim(), '')
  assert.equal(documented.unused, '', 'every documented command was run')
  say('every command of docs/operations.md works as it is written')
}

/** What somebody does who tries the service in Docker. */
export const journey = async (parts: Parts) => {
  for (const step of [start, fillWithDemo, importFiles, addUser, train, readLog, stop, foreground, remove]) await step(parts)
}
