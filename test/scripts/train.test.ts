import { existsSync } from 'node:fs'
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { readArguments } from '../../scripts/train/exchange.js'
import { connectionTo } from '../../src/database/connection.js'
import { leasesOf } from '../../src/database/leases.js'
import { shapes, shares } from '../../src/recommendations/model/index.js'
import type { ModelDocument } from '../../src/recommendations/model-documents.js'
import { largestModel, modelFormat, packed, unpacked } from '../../src/recommendations/stored-model.js'
import { type App, build } from '../helpers/app.js'
import { commandsIn, startCommand } from '../helpers/commands.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { content, film } from '../helpers/documents.js'
import { built } from '../helpers/run.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { crowdOf, firstOfCrowd, learnerOf, recommendedTo, span, trainOn, views } from '../recommendations/helper.js'

const run = commandsIn(t)
const train = async (url: string, args: string[] = [], settings = {}) => {
  const { status, out, err } = await run('train', args, { settings: { MONGO_URL: url, ...settings } })
  return [status, out, err] as const
}

const clusters = async (t: Test) => {
  const url = await seededUrl(t, { contents: [...span(1, 6), ...span(11, 16)].map(id => film(id)) })
  const app = await build(t, { url })
  await views(app, [...crowdOf(span(1, 6), 1, firstOfCrowd), ...crowdOf(span(11, 16), 1, firstOfCrowd + 100)])
  return { url, app }
}

const waiting = new Map<string, (t: Test) => Promise<void>>()
const test = (name: string, body: (t: Test) => Promise<void>) => void waiting.set(name, body)

test('npm run train trains and says what came of it', async t => {
  const { url, app } = await clusters(t)
  const [status, out, error] = await train(url)
  t.equal(error.replaceAll(/^\d+ % .*\n/gm, ''), '', 'it prints only its progress')
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
  t.match((await recommendedTo(viewer))[0]?.reason, { type: 'watched', content_id: 11 }, 'a running server uses the model')
})

test('npm run train without a database', async t => {
  const [status, out, error] = await train('')
  const [gone, nothing, why] = await train('mongodb://viewer:hunter2@127.0.0.1:1/x')
  const [wrong, , which] = await train('mongodb://127.0.0.1:1/x', [], { TRAIN_MEMORY_MB: '1' })
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
    t.strictSame(await train(url), [1, '', 'Another process is already training.\n'])
  })
  t.equal(await databaseOf(app).collection('models').countDocuments(), 0)
})

test('npm run train that needs more memory than it may take', async t => {
  const { url, app } = await clusters(t)
  t.strictSame(await train(url, [], { TRAIN_MEMORY_MB: '64' }), [1, '', 'The training needs more than 64 MB (TRAIN_MEMORY_MB)\n'])
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
    const { child, end } = startCommand(t, built('scripts/train.js'), [], { settings: { MONGO_URL: url } })
    await until(async () => (await leases.countDocuments({ _id: 'training' })) === 1, { within: 60_000 })
    child.kill(signal)
    t.strictSame(await end(), { status: expected, out: '', err: 'The training was stopped\n' })
    t.equal(await leases.countDocuments(), 0, 'another process may train at once')
    t.strictSame(await databaseOf(app).collection('models').find().toArray(), models, 'the previous model stays')
  })

/** What the audit says of the commands. */
const recorded = async (app: App) => {
  const records = await databaseOf(app).collection('audit').find().sort({ at: 1 }).toArray()
  return records.map(({ action, subject, outcome }) => [action, subject, outcome])
}

/** The lines of all files with histories. */
const linesIn = async (folder: string) => {
  const names = (await readdir(folder)).filter(name => name.startsWith('histories-')).sort()
  const texts = await Promise.all(names.map(async name => gunzipSync(await readFile(join(folder, name))).toString()))
  return texts.join('').split('\n').slice(0, -1)
}

test('npm run train -- --events-out writes what the training reads, without the ids of users', async t => {
  const { url, app } = await clusters(t)
  await databaseOf(app)
    .collection('contents')
    .insertOne(content(7, { parent_id: 1, type: 'episode' }) as never)
  await databaseOf(app)
    .collection('history')
    .deleteMany({ user_id: { $gte: firstOfCrowd } })
  const hour = 3_600_000
  const at = (hours: number) => new Date(Date.now() - hours * hour)
  await views(app, [
    { user_id: 77_001, content_id: 2, updated_at: at(9) },
    { user_id: 77_001, content_id: 1, updated_at: at(8) },
    { user_id: 77_001, content_id: 3, updated_at: at(7) },
    { user_id: 77_001, content_id: 7, updated_at: at(6) },
    { user_id: 77_001, content_id: 4, updated_at: at(5), percentage: 1 },
    { user_id: 77_002, content_id: 5, updated_at: at(9) },
    { user_id: 77_002, content_id: 999, updated_at: at(8) },
    { user_id: 77_003, content_id: 6, percentage: 1 }
  ])
  const folder = join(t.testdir(), 'new', 'folder')
  const [status, out, error] = await train(url, ['--events-out', folder])
  t.equal(error.replaceAll(/^\d+ % .*\n/gm, ''), '')
  t.equal(status, 0)
  const dayAt = (hours: number) => Math.floor(at(hours).getTime() / (24 * hour))
  t.strictSame(
    await linesIn(folder),
    [`2,3,1\t${[9, 7, 6].map(dayAt)}`, `5\t${dayAt(9)}`],
    'each title once, where it was watched last, with episodes as their show'
  )
  const settings = await readFile(join(folder, 'settings.json'), 'utf8')
  t.equal(settings, out, 'the settings are written as well')
  t.match(JSON.parse(settings), { users: 2, events: 4, shapes, shares, weights: [Number], learned: String, quality: {} })
  t.equal(await databaseOf(app).collection('models').countDocuments(), 0, 'no model is trained')

  const again = await train(url, ['--events-out', folder])
  t.strictSame(again, [1, '', `${folder} is not empty\n`])
  t.equal((await linesIn(folder)).length, 2, 'existing files stay')
  await databaseOf(app).collection('history').deleteMany({})
  const nothing = join(t.testdir(), 'nothing')
  t.strictSame(await train(url, ['--events-out', nothing]), [1, '', 'There are no histories. Nothing was written.\n'])
  t.notOk(existsSync(nothing))
  t.strictSame(await recorded(app), [
    ['train --events-out', 'folder', 'done'],
    ['train --events-out', 'folder', 'refused'],
    ['train --events-out', 'nothing', 'failed']
  ])
})

test('npm run train -- --model-in stores a model, or keeps the one in use', async t => {
  const { url, app } = await clusters(t)
  await trainOn(app)
  const models = databaseOf(app).collection('models')
  const before = await models.find().toArray()
  const bytes = packed({
    ids: Float64Array.of(1, 11),
    watchedCount: 2,
    links: { starts: Uint32Array.of(0, 1, 2), targets: Uint32Array.of(1, 0), tables: 1, weights: Float32Array.of(1, 1) },
    shares: [{ share: 1, halfLife: 2 }],
    views: Float32Array.of(30, 30),
    freshness: Float32Array.of(1, 1),
    recent: new Float32Array(8),
    weights: new Float64Array(0)
  })
  const head = (format: number) => Buffer.from(`${JSON.stringify({ format, summary: { users: 3 } })}\n`)
  const folder = t.testdir({})
  const inFile = async (name: string, content: Buffer) => {
    await writeFile(join(folder, name), content)
    return train(url, ['--model-in', join(folder, name)])
  }
  const refusal = (name: string, reason: string) => [
    1,
    '',
    `${join(folder, name)} cannot be used: ${reason}. The current model stays in use.\n`
  ]
  t.strictSame(
    await inFile('cut', Buffer.concat([head(modelFormat), bytes.subarray(0, -4)])),
    refusal('cut', 'Its size does not match its header')
  )
  t.strictSame(
    await inFile('other', Buffer.concat([head(modelFormat + 1), bytes])),
    refusal('other', `It has format ${modelFormat + 1}, not ${modelFormat}`)
  )
  await writeFile(join(folder, 'large'), '')
  await truncate(join(folder, 'large'), largestModel + 1)
  t.strictSame(
    await train(url, ['--model-in', join(folder, 'large')]),
    refusal('large', `It has ${largestModel + 1} bytes, more than ${largestModel}`)
  )
  t.match((await train(url, ['--model-in', join(folder, 'none')]))[2], /none cannot be used: ENOENT.*stays in use\.\n$/)
  t.strictSame(await models.find().toArray(), before)

  await databaseOf(app)
    .collection('contents')
    .insertOne(film(17, { terms: [5] }) as never)
  await databaseOf(app)
    .collection('contents')
    .updateOne({ _id: 11 as never }, { $set: { terms: [5] } })
  t.strictSame(await inFile('good', Buffer.concat([head(modelFormat), bytes])), [0, '{"users":3}\n', ''])
  const refused = ['cut', 'other', 'large', 'none'].map(name => ['train --model-in', name, 'refused'])
  t.strictSame(await recorded(app), [...refused, ['train --model-in', 'good', 'done']])
  const latest = (await app.data.recommendationModels.latest(modelFormat)) as ModelDocument
  const { ids, watchedCount, links } = unpacked((await app.data.recommendationModels.bytes(latest)) as ArrayBuffer)
  t.strictSame([[...ids.subarray(0, 2)], watchedCount], [[1, 11], 2])
  t.ok(links.targets.subarray(0, links.starts[1]).includes(ids.indexOf(17)), 'a new title is a neighbour of a similar one that was watched')
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 3000, percentage: 95 })
  await learnerOf(app).learning.refreshModel()
  t.match((await recommendedTo(viewer))[0], { id: 11, reason: { type: 'watched', content_id: 1 } }, 'a running server uses the model')
})

test('npm run train with options that make no sense', async t => {
  const [status, out, error] = await train('mongodb://127.0.0.1:1/x', ['--model'])
  t.strictSame([status, out], [1, ''])
  t.match(error, /^.+\nUsage: /)
  for (const args of [['--model'], ['--events-out'], ['x'], ['--events-out='], ['--events-out', 'a', '--model-in', 'b']])
    t.throws(() => readArguments(args), { message: /^.+\nUsage: / }, args.join(' '))
  t.strictSame(readArguments(['--events-out', 'a']), { eventsOut: 'a', modelIn: undefined })
  t.strictSame(readArguments(['--model-in', 'b']), { eventsOut: undefined, modelIn: 'b' })
})

t.test('processes that mostly wait', { jobs: 4 }, async t => {
  for (const [name, body] of waiting) t.test(name, { buffered: true }, body)
})
