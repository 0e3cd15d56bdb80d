import { readFileSync } from 'node:fs'
import { Decimal128, type Document } from 'mongodb'
import t, { type Test } from 'tap'
import { trainInChildProcess, trainingLease } from '../../../src/recommendations/learning/start-training.js'
import { type TrainingProgress, trainModel } from '../../../src/recommendations/learning/training.js'
import { readTrainingData } from '../../../src/recommendations/learning/training-data.js'
import { modelFormat } from '../../../src/recommendations/stored-model.js'
import { build, buildWith } from '../../helpers/app.js'
import { databaseOf } from '../../helpers/database.js'
import { content, episode, film } from '../../helpers/documents.js'
import { until } from '../../helpers/until.js'
import { viewerOf, watch } from '../../helpers/viewer.js'
import { anybody, crowdOf, firstOfCrowd, idsFor, interest, learnerOf, recommendedTo, span, trainOn, views } from '../helper.js'

const completed = { time: 3000, percentage: 95 }
const contents = [...span(1, 6), ...span(11, 16), ...span(21, 25)].map(id => film(id))
const crowd = [...crowdOf(span(1, 6), 2, firstOfCrowd), ...crowdOf(span(11, 16), 1, firstOfCrowd + 100)]
const logged = (log: string[], text: string) => log.map(line => JSON.parse(line)).filter(({ msg }) => msg.includes(text))

/** The processes that this one has started (Linux only). */
const children = () =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
const isTraining = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('training-child')
  } catch {
    return false
  }
}
const trainings = () => (process.platform === 'linux' ? children().filter(isTraining) : [])

t.test('a training in a process of its own', async t => {
  const app = await buildWith(t, { contents })
  await views(app, crowd)
  const viewer = await viewerOf(app)
  await watch(viewer, 11, completed)
  const { learning } = learnerOf(app)
  const models = databaseOf(app).collection('models')
  const order = { url: app.settings.MONGO_URL, interest, memoryMb: 1536, signal: new AbortController().signal }
  const killed = new AbortController()
  const steps = new Set<string>()

  await t.test('stores the model and says what it is', async t => {
    const trained = await trainInChildProcess({ ...order, onProgress: ({ step }) => void steps.add(step) })
    t.match(trained, { users: 46, titles: 12, events: 181 })
    t.notOk(trained.before, 'the first training has no previous one')
    t.strictSame((await trainOn(app)).before, trained.quality)
    t.ok(steps.size > 0)
    await learning.refreshModel()
    t.strictSame((await idsFor(viewer)).slice(0, 5).sort(), span(12, 16))
  })

  await t.test('that has lost its lease does not store its model over a newer one', async t => {
    const leases = databaseOf(app).collection<{ _id: string }>('leases')
    let newer: unknown
    const older = app.data.leases.withLease(trainingLease, async ({ holder }) => {
      await leases.updateOne({ _id: trainingLease }, [{ $set: { expires_at: '$$NOW' } }])
      await app.data.leases.withLease(trainingLease, lease => trainInChildProcess({ ...order, holder: lease.holder }))
      newer = await models.find().toArray()
      return trainInChildProcess({ ...order, holder })
    })
    await t.rejects(older, { message: /^The lease of this training ran out/ })
    t.strictSame(await models.find().toArray(), newer)
  })

  await t.test('that fails says why, and the model before stays in use', { skip: process.platform !== 'linux' }, async t => {
    const before = await models.find().toArray()
    const away = { ...order, url: 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=100' }
    const ended = async (training: Promise<unknown>, message: RegExp) => t.rejects(training, { message })
    await until(() => trainings().length === 0)
    const already = AbortSignal.abort()
    await ended(trainInChildProcess({ ...order, signal: already }), /^The training was stopped$/)
    t.strictSame(trainings(), [], 'a training that is stopped before it begins never begins')

    await ended(trainInChildProcess(away), /ECONNREFUSED|Server selection timed out/)

    const shot = ended(
      trainInChildProcess(order),
      /^The training ended with SIGKILL, perhaps because it ran out of memory \(TRAIN_MEMORY_MB\)$/
    )
    await until(() => trainings().length === 1)
    for (const pid of trainings()) process.kill(pid, 'SIGKILL')
    await shot

    const stopped = ended(trainInChildProcess({ ...order, signal: killed.signal }), /^The training was stopped$/)
    await until(() => trainings().length === 1)
    killed.abort()
    await stopped
    await until(() => trainings().length === 0)
    t.strictSame(await models.find().toArray(), before)
    await learning.refreshModel()
    t.match((await recommendedTo(viewer))[0]?.reason, { type: 'watched' })
  })
})

t.test('a service that cannot train serves on', async t => {
  const app = await buildWith(t, { contents })
  await views(app, crowd)
  const log: string[] = []
  const service = await build(t, { url: app.settings.MONGO_URL, settings: { TRAIN: 'auto', TRAIN_MEMORY_MB: '100' }, log })
  const viewer = await viewerOf(service)
  await watch(viewer, 11, completed)
  await until(() => logged(log, 'could not be trained').length > 0, { within: 60_000 })
  t.match(logged(log, 'could not be trained'), [
    {
      level: 40,
      msg: 'the recommendation model could not be trained, keeping the previous one',
      err: { message: /^The training needs more than 100 MB \(TRAIN_MEMORY_MB\)$/ }
    }
  ])
  t.equal((await idsFor(viewer)).length, contents.length - 1)
  t.equal(
    await databaseOf(app)
      .collection('leases')
      .countDocuments({ _id: 'training' as never }),
    0
  )
  // It writes its coverage at its end, which the end of the service would cut short.
  await until(() => trainings().length === 0, { within: 60_000 })
})

const waiting = new Map<string, (t: Test) => Promise<void>>()
const test = (name: string, body: (t: Test) => Promise<void>) => void waiting.set(name, body)

test('histories from which little or nothing can be learned', async t => {
  const app = await buildWith(t, {
    contents: [...contents, film(90, { deleted_at: new Date() }), content(30), episode(31, 30), episode(32, 31)]
  })
  const viewer = await viewerOf(app)
  const { learning, failures } = learnerOf(app)
  /** Trains on these elements alone; whoever asks then is shown something, whatever it is. */
  const learns = async (
    elements: Parameters<typeof views>[1],
    expected: { users: number; titles: number; events: number },
    what: string
  ) => {
    await databaseOf(app).collection('history').deleteMany({})
    if (elements.length > 0) await views(app, elements)
    t.match(await trainOn(app), expected, what)
    const stored = await app.data.recommendationModels.latest(modelFormat)
    t.match(stored, { elements: elements.length, summary: expected }, what)
    await learning.refreshModel()
    t.strictSame(failures, [], what)
    t.equal((await idsFor(anybody(app))).length, contents.length + 1, what)
    await watch(viewer, 1, completed)
    t.equal((await idsFor(viewer)).length, contents.length, what)
  }
  const one = { user_id: 7, content_id: 1 }
  await learns([], { users: 0, titles: 0, events: 0 }, 'an empty history')
  await learns([one], { users: 1, titles: 1, events: 1 }, 'one element')
  await learns([one, { user_id: 8, content_id: 1 }], { users: 2, titles: 1, events: 2 }, 'one title')
  await learns(
    span(1, 6).map(content_id => ({ user_id: 7, content_id })),
    { users: 1, titles: 6, events: 6 },
    'one user'
  )
  await learns(
    span(501, 520).map(content_id => ({ user_id: content_id, content_id })),
    { users: 0, titles: 0, events: 0 },
    'contents that are not in the catalogue'
  )
  await learns(
    [
      { ...one, time: 0, percentage: 0 },
      { user_id: 8, content_id: 2, time: 3, percentage: 0 },
      { user_id: 9, content_id: 2, time: 300, percentage: 4 }
    ],
    { users: 0, titles: 0, events: 0 },
    'what was barely started'
  )
  await learns(
    [31, 32, 30, 90, 999].map(content_id => ({ user_id: 7, content_id })),
    { users: 1, titles: 2, events: 2 },
    'episodes count for the show, and once'
  )
  await learns(
    span(1001, 1300).map(user_id => ({ user_id, content_id: 1 + (user_id % 6) })),
    { users: 300, titles: 6, events: 300 },
    'users of whom each has seen one'
  )
})

test('it says how far it is', async t => {
  const app = await buildWith(t, { contents: [...contents, ...span(1001, 1200).map(id => film(id))] })
  await views(
    app,
    Array.from({ length: 10_400 }, (_, i) => ({ user_id: 1 + Math.floor(i / 20), content_id: 1001 + ((i * 7) % 200) }))
  )
  const told: TrainingProgress[] = []
  const trained = await trainModel(app.data, interest, progress => told.push(progress))
  t.match(trained, { users: 520, titles: 200, events: 10_400 })
  t.ok(trained.quality.ndcg >= 0 && trained.seconds >= 0)
  t.strictSame([...new Set(told.map(({ step }) => step))], ['read', 'choose', 'train'])
  t.strictSame(told[0], { step: 'read', done: 10_000, total: 10_400 })
  for (const { done, total } of told) if (done > total) t.fail(`${done} of ${total}`)
  t.equal(told.at(-1)?.done, told.at(-1)?.total)
})

test('the service trains itself', async t => {
  const app = await buildWith(t, { contents })
  await views(app, crowd)
  const log: string[] = []
  const service = await build(t, { url: app.settings.MONGO_URL, settings: { TRAIN: 'auto', TRAIN_SHARE: '10' }, log })
  const models = databaseOf(app).collection<{ elements: number }>('models')
  const viewer = await viewerOf(service)
  await watch(viewer, 11, completed)
  t.equal((await idsFor(viewer)).length, contents.length - 1, 'without a model, the service recommends popular titles')
  const trained = () => logged(log, 'the recommendation model was trained')
  await until(() => trained().length === 1, { within: 60_000 })
  t.match(trained(), [{ level: 30, users: 46, titles: 12 }])
  const first = await models.findOne({})
  await views(app, crowdOf(span(21, 25), 1, firstOfCrowd + 500))
  await until(async () => (await recommendedTo(viewer))[0]?.reason.type === 'watched', { within: 60_000, every: 100 })
  t.pass('the trained model is in use')
  await until(() => trained().length === 2, { within: 60_000 })
  t.match(trained()[1], { users: 56, titles: 17 }, 'enough new elements start another training')
  t.equal(await models.countDocuments(), 1)
  t.not(String((await models.findOne({}))?._id), String(first?._id))
  t.equal(
    await databaseOf(app)
      .collection('leases')
      .countDocuments({ _id: 'training' as never }),
    0
  )
})

test('a service that ends ends its training', async t => {
  const app = await buildWith(t, { contents })
  await views(app, crowd)
  const log: string[] = []
  const service = await build(t, { url: app.settings.MONGO_URL, settings: { TRAIN: 'auto' }, log })
  const leases = databaseOf(app).collection<{ _id: string }>('leases')
  await until(async () => (await leases.countDocuments({ _id: 'training' })) === 1)
  await service.close()
  t.equal(await leases.countDocuments(), 0, 'another process may train at once')
  t.equal(await databaseOf(app).collection('models').countDocuments(), 0)
  t.strictSame(
    log.filter(line => JSON.parse(line).level > 30),
    [],
    'nothing is logged as a problem'
  )
})

t.test('trainings that mostly wait', { jobs: 4 }, async t => {
  for (const [name, body] of waiting) t.test(name, { buffered: true }, body)
})

t.test('a training skips broken contents and histories that other software wrote', async t => {
  const odd = { ...content(2), keywords: 'odd', countries_include: [5], created_at: 'x' } as unknown as ReturnType<typeof content>
  const app = await buildWith(t, { contents: [content(1), odd, content(3)] })
  const at = new Date()
  const decimal = Decimal128.fromString('50')
  const elements: Document[] = [
    { user_id: 1, content_id: 1, time: 3000, percentage: 90 },
    { user_id: 1, content_id: 2, time: 3000, percentage: 90 },
    { user_id: 1, content_id: 3, time: 3000, percentage: decimal },
    { user_id: 2, content_id: 3, time: decimal },
    { user_id: 2, content_id: 1, time: 3000, percentage: 'x' }
  ]
  await databaseOf(app)
    .collection('history')
    .insertMany(
      elements.map(element => ({ created_at: at, updated_at: at, ...element })),
      { bypassDocumentValidation: true }
    )
  const { interactions, ids } = await readTrainingData(app.data, interest, () => undefined)
  t.strictSame(
    [[...interactions.starts], [...interactions.items], [...ids]],
    [
      [0, 2],
      [0, 1],
      [1, 3]
    ]
  )
  t.ok(
    interactions.weights?.every(weight => weight > 0 && weight <= 1),
    'elements without interest are left out'
  )
})

t.test('what was watched before a new start counts', async t => {
  const app = await buildWith(t, { contents: span(1, 3).map(id => film(id)) })
  const restart = { time: 0, percentage: 0 }
  const previous = { previous_time: 3000, previous_percentage: 50, previous_observed_at: new Date() }
  const updated_at = new Date()
  const weightsOf = async (...elements: object[]) => {
    await databaseOf(app).collection('history').deleteMany({})
    await views(
      app,
      elements.map((element, i) => ({ user_id: 1, content_id: i + 1, updated_at: new Date(+updated_at + i), ...element }))
    )
    const { interactions, ids } = await readTrainingData(app.data, interest, () => undefined)
    return [[...ids], interactions.weights]
  }
  t.strictSame(
    await weightsOf({ ...restart, ...previous }, { time: 40, percentage: 1, ...previous }, { ...restart, plays: 1 }),
    await weightsOf({ percentage: 50 }, { percentage: 50 }, { percentage: 95 })
  )
})

t.test('and finds nothing where there is nothing', async t => {
  const app = await buildWith(t, { contents: [content(1)] })
  const { interactions, ids } = await readTrainingData(app.data, interest, () => undefined)
  t.strictSame([[...interactions.starts], interactions.itemCount, [...ids]], [[0], 0, [1]], 'only a title that nobody has watched')
})
