import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { freePort } from '../../scripts/processes.js'
import { apart } from '../helpers/apart.js'
import { databaseUrl } from '../helpers/database.js'
import { folderOf } from '../helpers/folder.js'
import { serving } from '../helpers/serving.js'
import { until } from '../helpers/until.js'
import { film, lines, rail, show, term } from '../import/helper.js'

const run = promisify(execFile)
const page = await readFile(new URL('../../docs/catalogue.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```(?:sh|js|json)\n(.*?)```/gs)].map(([, block]) => String(block))
const blockWith = (text: string) => blocks.find(block => block.includes(text)) ?? ''
const curl = run('curl', ['--version']).then(
  () => true,
  () => false
)

t.test('the examples of docs/catalogue.md work', { skip: !(await curl) && 'there is no curl' }, async t => {
  const IMPORT_KEY = 'a key of the tests that nobody guesses'
  const { address: VIEWER_URL } = await serving(t, { settings: { MONGO_URL: await databaseUrl(t), IMPORT_KEY } })
  const folder = folderOf(t, {
    'webhook.mjs': blockWith('// webhook.mjs'),
    'nightly.sh': blockWith('# nightly.sh'),
    lists: {
      'terms.ndjson': lines(term(1)),
      'contents.ndjson': lines(film(1, { terms: [1] })),
      'rail-collections.ndjson': lines({ ...rail(1), rails: [] }),
      'schedule.ndjson': lines(show(1))
    }
  })
  const env = { PATH: process.env.PATH, VIEWER_URL, IMPORT_KEY }
  const statusOf = async (id: number) => (await fetch(`${VIEWER_URL}/contents/${id}`)).status

  await t.test('one call', async t => {
    const { stdout } = await run('bash', ['-c', blockWith('LINES')], { env })
    t.strictSame(JSON.parse(stdout), JSON.parse(blockWith('"added":2')))
    await until(async () => (await statusOf(7002)) === 200)
  })

  await t.test('the webhook', async t => {
    const PORT = String(await freePort())
    const WEBHOOK_SECRET = 'a secret of the CMS'
    const webhook = spawn(...apart('webhook.mjs'), { cwd: folder, env: { ...env, PORT, WEBHOOK_SECRET }, stdio: 'inherit' })
    t.teardown(async () => {
      webhook.kill()
      await once(webhook, 'exit')
    })
    const send = (body: string, secret = WEBHOOK_SECRET) =>
      fetch(`http://127.0.0.1:${PORT}`, { method: 'POST', body, headers: { authorization: `Bearer ${secret}` } }).then(
        ({ status }) => status,
        () => 0
      )
    const event = (event: string, entry: unknown = { catalogue_id: 5, name: 'Five' }) => JSON.stringify({ event, model: 'film', entry })
    await until(async () => (await send('{}')) !== 0)
    t.equal(await send(event('entry.publish'), 'a guess'), 401)
    t.equal(await send('nonsense'), 400)
    t.equal(await send(event('entry.publish', 'null')), 400)
    t.equal(await send(JSON.stringify({ event: 'trigger-test' })), 204, 'the test button of the CMS')
    t.equal(await send(event('entry.update')), 204, 'a draft')
    t.equal(await statusOf(5), 404)
    t.equal(await send(event('entry.publish')), 200)
    await until(async () => (await statusOf(5)) === 200)
    t.equal(await send(event('entry.unpublish')), 200)
    await until(async () => (await statusOf(5)) === 404)
  })

  await t.test('the complete list', async t => {
    const { stdout } = await run('sh', ['nightly.sh', join(folder, 'lists')], { env, cwd: folder })
    t.match(stdout, /^contents: 200 .*"added":1,"changed":0,"unchanged":0,"removed":2/m)
    t.match(stdout, /^schedule: 200 .*"added":1/m)
    await until(async () => (await statusOf(1)) === 200)
    await writeFile(join(folder, 'lists', 'contents.ndjson'), '')
    const failed = await run('sh', ['nightly.sh', join(folder, 'lists')], { env, cwd: folder }).catch((error: { code: number }) => error)
    t.match(failed, { code: 1, stdout: '' }, 'a failed export is not sent')
  })
})
