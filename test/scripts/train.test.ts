import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { connectionTo } from '../../src/data/driver/connection.js'
import { leasesOf } from '../../src/data/leases.js'
import { apart } from '../helpers/apart.js'
import { build } from '../helpers/app.js'
import { built } from '../helpers/built.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { audienceOf, firstAudience, learnerOf, recommendedTo, span, trainOn, views } from '../recommendations/helper.js'

const command = built('scripts/train.js')

/** `npm run train` in a folder without files of its own. */
const train = (t: Test, url?: string, more: Record<string, string> = {}) => {
  const cwd = mkdtempSync(join(tmpdir(), 'viewer-train-'))
  t.teardown(() => rmSync(cwd, { recursive: true }))
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...(url && { MONGO_URL: url }), ...more }
  const child = spawn(...apart(command), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const status = new Promise<number | NodeJS.Signals | null>(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)))
  return { child, ended: Promise.all([status, text(child.stdout), text(child.stderr)]) }
}

const clusters = async (t: Test) => {
  const url = await seededUrl(t, { contents: [...span(1, 6), ...span(11, 16)].map(id => film(id)) })
  const app = await build(t, { url })
  await views(app, [...audienceOf(span(1, 6), 1, firstAudience), ...audienceOf(span(11, 16), 1, firstAudience + 100)])
  return { url, app }
}

const waiting = new Map<string, (t: Test) => Promise<void>>()
const test = (name: string, body: (t: Test) => Promise<void>) => void waiting.set(name, body)

test('npm run train trains and says what came of it', async t => {
  const { url, app } = await clusters(t)
  const [status, out, error] = await train(t, url).ended
  t.equal(error.replaceAll(/^\d+ % .*\n/gm, ''), '', 'nothing but how far it is')
  t.equal(status, 0)
  t.match(JSON.parse(out), { users: 30, titles: 12, events: 120, seconds: Number, quality: { ndcg: Number }, popularity: { ndcg: Number } })
  t.equal(
    await databaseOf(app)
      .collection('leases')
      .countDocuments({ _id: 'training' as never }),
    0
  )
  const viewer = await viewerOf(app)
  await watch(viewer, 11, { time: 3000, percentage: 95 })
  await learnerOf(app).learning.refreshModel()
  t.match((await recommendedTo(viewer))[0]?.reason, { type: 'watched', content_id: 11 }, 'a running server takes it up')
})

test('npm run train without a database', async t => {
  const [[status, out, error], [gone, nothing, why], [wrong, , which]] = await Promise.all([
    train(t).ended,
    train(t, 'mongodb://viewer:hunter2@127.0.0.1:1/x').ended,
    train(t, 'mongodb://127.0.0.1:1/x', { TRAIN_MEMORY_MB: '1' }).ended
  ])
  t.strictSame([status, out], [1, ''])
  t.match(error, /^MONGO_URL is not set: .*\n$/)
  t.strictSame([gone, nothing], [1, ''])
  t.match(why, /^The database does not respond: .*\n$/)
  t.notMatch(why, 'hunter2')
  t.equal(wrong, 1)
  t.match(which, /^TRAIN_MEMORY_MB is wrong: .*\n$/)
})

test('npm run train while another process trains', async t => {
  const { url, app } = await clusters(t)
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  await leasesOf(db).withLease('training', async () => {
    t.strictSame(await train(t, url).ended, [1, '', 'Another process is already training.\n'])
  })
  t.equal(await databaseOf(app).collection('models').countDocuments(), 0)
})

test('npm run train that needs more memory than it may take', async t => {
  const { url, app } = await clusters(t)
  t.strictSame(await train(t, url, { TRAIN_MEMORY_MB: '64' }).ended, [1, '', 'The training needs more than 64 MB (TRAIN_MEMORY_MB)\n'])
  t.equal(
    await databaseOf(app)
      .collection('leases')
      .countDocuments({ _id: 'training' as never }),
    0
  )
})

for (const [signal, expected] of [
  ['SIGINT', 130],
  ['SIGTERM', 143]
] as const)
  test(`${signal} during npm run train`, async t => {
    const { url, app } = await clusters(t)
    await trainOn(app)
    const models = await databaseOf(app).collection('models').find().toArray()
    const leases = databaseOf(app).collection<{ _id: string }>('leases')
    const { child, ended } = train(t, url)
    await until(async () => (await leases.countDocuments({ _id: 'training' })) === 1, { within: 60_000 })
    child.kill(signal)
    const [status, out, error] = await ended
    t.strictSame([status, out, error], [expected, '', 'The training was stopped\n'])
    t.equal(await leases.countDocuments(), 0, 'another process may begin at once')
    t.strictSame(await databaseOf(app).collection('models').find().toArray(), models, 'the model before stays')
  })

t.test('processes that mostly wait', { jobs: 4 }, async t => {
  for (const [name, body] of waiting) t.test(name, { buffered: true }, body)
})
