import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { freePort } from '../../scripts/processes.js'
import { root } from '../../scripts/root.js'
import { commandApart } from '../helpers/apart.js'
import { secret } from '../helpers/app.js'
import { databaseUrl } from '../helpers/database.js'
import { folderOf } from '../helpers/folder.js'
import { built, mongodProcess } from '../helpers/run.js'

const run = promisify(execFile)
const here = (path: string) => join(root, path)
const curl = run('curl', ['--version']).then(
  () => true,
  () => false
)

const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

/** Runs the curl calls of a document, and returns the answers that they print. */
const answersTo = async (calls: string, address: string, options = '') => {
  const strict = `set -euo pipefail\ncurl() { command curl --silent --show-error ${options} "$@" && echo; }\n`
  const { stdout } = await run('bash', ['-c', strict + calls.replaceAll('localhost:3000', address)])
  return jsonLines(stdout)
}

/** A folder in which npm runs the scripts of the repository, and in which `npm run dev` keeps its data. */
const packageOf = (t: Test) =>
  folderOf(t, {
    'package.json': readFileSync(here('package.json'), 'utf8'),
    scripts: t.fixture('symlink', here('scripts')),
    dist: t.fixture('symlink', built(''))
  })

interface Start {
  script: 'start' | 'dev'
  cwd: string
  /** What the script prints when it is up. */
  until: RegExp
  shell?: string
  settings?: Record<string, string>
}

/** Runs a script with npm. `stop` sends a signal to npm alone, and resolves with npm's exit status. */
const npm = async (t: Test, { script, cwd, until: up, shell = 'sh', settings = {} }: Start) => {
  const port = await freePort()
  const { MONGO_URL, JWT_SECRET, ...env } = process.env
  const child = spawn(...commandApart('npm', 'run', script, `--script-shell=${shell}`), {
    cwd,
    env: { ...env, PORT: String(port), ...settings },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const ended = once(child, 'exit')
  t.teardown(() => {
    try {
      process.kill(-Number(child.pid), 'SIGKILL')
    } catch {}
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  while (!up.test(said)) {
    if (child.exitCode !== null || said.includes('FATAL')) throw new Error(said)
    await sleep(50)
  }
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [status] = await Promise.race([ended, sleep(20_000, ['it still runs'], { ref: false })])
    return status
  }
  return { port, said: () => said, stop }
}

const develop = (t: Test, cwd: string, more: Partial<Start> = {}) => npm(t, { script: 'dev', cwd, until: /Documentation/, ...more })

/** Whether something listens on this port. */
const isTaken = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
      .once('connect', () => resolve(socket.destroy().destroyed))
      .once('error', () => resolve(false))
  })

t.test('npm start ends with npm', async t => {
  const cwd = packageOf(t)
  const settings = { MONGO_URL: mongodProcess().url, JWT_SECRET: secret, HOST: '127.0.0.1', DRAIN_DELAY: '0', TRAIN: 'off' }
  for (const [shell, signal] of [
    ['sh', 'SIGTERM'],
    ['bash', 'SIGINT']
  ] as const) {
    const { port, stop } = await npm(t, { script: 'start', cwd, until: /listening at/, shell, settings })
    t.equal(await isTaken(port), true)
    t.equal(await stop(signal), 0, `${signal} in ${shell}`)
    t.equal(await isTaken(port), false, `${signal} in ${shell}`)
  }
})

t.test('npm run dev serves what the README says of it', async t => {
  const cwd = packageOf(t)
  const { port, said, stop } = await develop(t, cwd)
  const address = `localhost:${port}`

  await t.test('a page, its pictures and the documents', async t => {
    const ask = async (path: string) => {
      const response = await fetch(`http://${address}${path}`)
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
    }
    t.match(await ask('/'), { status: 200, type: /^text\/html/ })
    t.match(await ask('/docs/'), { status: 200, type: /^text\/html/ })
    const { data } = JSON.parse((await ask('/contents?type=show&perPage=1')).text)
    const { pathname } = new URL(data.collection[0].thumbnail)
    t.match(await ask(pathname), { status: 200, type: /^image\/svg/ })
    t.match(await ask('/demo/thumbnails/0.svg'), { status: 404 })
    const origin = 'http://localhost:5173'
    const headers = { origin, 'access-control-request-method': 'POST' }
    const { headers: allowed } = await fetch(`http://${address}/history`, { method: 'OPTIONS', headers })
    t.equal(allowed.get('access-control-allow-origin'), origin, 'an app on another port may call it')
  })

  await t.test('the tour, line by line', { skip: !(await curl) && 'there is no curl' }, async t => {
    const readme = await readFile(here('README.md'), 'utf8')
    const tour = /## Five calls\n[^#]*?```sh\n(.*?)```/s.exec(readme)?.[1] ?? ''
    const calls = tour.split('\n').filter(line => line.startsWith('curl '))
    t.equal(calls.length, 4)

    const answers = await answersTo(tour, address, '--fail-with-body')
    t.equal(answers.length, calls.length)
    for (const [n, { success, data }] of answers.entries()) {
      t.equal(success, true, `${calls[n]} succeeds`)
      const list = data?.collection ?? data
      if (Array.isArray(list)) t.ok(list.length > 0, `${calls[n]} shows something`)
    }
    const answerOf = (part: string) => answers[calls.findIndex(call => call.includes(part))].data
    const [card] = answerOf('/continue-watching').collection
    t.equal(card.resume.time, 2700)
    for (const { reason } of answerOf('/recommendations')) t.match(reason, { type: /^(watched|popular)$/ })
  })

  await t.test('the examples of docs/interface', { skip: !(await curl) && 'there is no curl' }, async t => {
    const pages = (await readdir(here('docs/interface'))).map(name => `docs/interface/${name}`)
    const [, signIn] = /^(ADA=.*)$/m.exec(await readFile(here('docs/interface.md'), 'utf8')) ?? []
    for (const path of ['docs/interface.md', ...pages]) {
      const page = await readFile(here(path), 'utf8')
      const examples = [...page.matchAll(/```sh\n(.*?)```\n\n```json\n(.*?)```/gs)]
      t.ok(examples.length > 0, `${path} has an example`)
      for (const [, calls = '', shown = ''] of examples) {
        const answers = await answersTo(`${signIn}\n${calls}`, address)
        const wanted = jsonLines(shown.replaceAll('…', ''))
        t.equal(answers.length, wanted.length, path)
        t.match(answers, wanted, path)
      }
    }
  })

  const mongodOf = (said: string) => Number(/mongod is running at \S+:(\d+)/.exec(said)?.[1])

  await t.test('ends with npm, and its database with it', async t => {
    t.strictSame([await isTaken(port), await isTaken(mongodOf(said()))], [true, true])
    t.equal(await stop('SIGTERM'), 0)
    t.strictSame([await isTaken(port), await isTaken(mongodOf(said()))], [false, false])

    const again = await develop(t, cwd, { shell: 'bash' })
    t.equal(await again.stop('SIGINT'), 0)
    t.strictSame([await isTaken(again.port), await isTaken(mongodOf(again.said()))], [false, false])
  })
})

t.test('npm run dev uses the database of MONGO_URL, without the demo', async t => {
  const { port, said, stop } = await develop(t, packageOf(t), { settings: { MONGO_URL: await databaseUrl(t) } })
  t.match(said(), /using the database of MONGO_URL, without the demo/)
  t.notMatch(said(), /mongod is running|Household/)
  const { data } = (await (await fetch(`http://localhost:${port}/contents`)).json()) as { data: { collection: unknown[] } }
  t.strictSame(data.collection, [])
  t.equal(await stop('SIGTERM'), 0)
})
