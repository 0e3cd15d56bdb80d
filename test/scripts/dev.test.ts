import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { freePort } from '../../scripts/processes.js'
import { apart } from '../helpers/apart.js'
import { folderOf } from '../helpers/folder.js'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const curl = run('curl', ['--version']).then(
  () => true,
  () => false
)

/** What `npm run dev` starts, with its data in a folder of this test. */
const develop = async (t: Test) => {
  const port = await freePort()
  const { MONGO_URL, JWT_SECRET, ...env } = process.env
  const dev = spawn(...apart('--import', 'tsx', here('scripts/dev.ts')), {
    cwd: folderOf(t),
    env: { ...env, PORT: String(port), PATH: `${here('node_modules/.bin')}:${env.PATH}` }
  })
  const ended = once(dev, 'exit')
  const stop = async () => {
    dev.kill('SIGTERM')
    const [status] = await ended
    return status
  }
  t.teardown(stop)
  let said = ''
  for (const stream of [dev.stdout, dev.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  while (!said.includes('Documentation')) {
    if (dev.exitCode !== null || said.includes('FATAL')) throw new Error(said)
    await sleep(50)
  }
  return { address: `localhost:${port}`, stop }
}

t.test('npm run dev serves what the README says of it', async t => {
  const { address, stop } = await develop(t)

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
  })

  await t.test('the tour, line by line', { skip: !(await curl) && 'there is no curl' }, async t => {
    const readme = await readFile(here('README.md'), 'utf8')
    const tour = /## A first tour\n[^#]*?```sh\n(.*?)```/s.exec(readme)?.[1] ?? ''
    const calls = tour.split('\n').filter(line => line.startsWith('curl '))
    t.ok(calls.length >= 10)

    const strict = 'set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body "$@" && echo; }\n'
    const { stdout } = await run('bash', ['-c', strict + tour.replaceAll('localhost:3000', address)])
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    t.equal(answers.length, calls.length)
    for (const [n, { success, data }] of answers.entries()) {
      t.equal(success, true, `${calls[n]} succeeds`)
      const list = data?.collection ?? data
      if (Array.isArray(list)) t.ok(list.length > 0, `${calls[n]} shows something`)
    }
    const answerOf = (part: string) => answers[calls.findIndex(call => call.includes(part))].data
    const [card] = answerOf('/continue-watching').collection
    t.match(card, { history: { time: 5, previous: { time: 2700 } }, resume: { time: 2700 } }, 'a brief start loses nothing')
    t.match(answerOf('/me/export').ratings, [{ content_id: 1062, rating: 'like' }])
    const [watched] = answerOf('status=watched').collection
    t.match(watched, { content_id: 1405 })
    t.ok(watched.plays >= 2, `${watched.plays}`)
  })

  t.equal(await stop(), 0)
})
