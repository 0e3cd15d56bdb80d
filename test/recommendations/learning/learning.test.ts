import { Binary, ObjectId } from 'mongodb'
import t from 'tap'
import { everybody } from '../../../src/catalogue/audience.js'
import { connectionTo } from '../../../src/database/connection.js'
import { dataOf } from '../../../src/database/data.js'
import type { TakenLease } from '../../../src/database/leases.js'
import { trainModel } from '../../../src/recommendations/learning/training.js'
import type { ModelDocument } from '../../../src/recommendations/model-documents.js'
import { largestModel, modelFormat, packed } from '../../../src/recommendations/stored-model.js'
import { type App, build, buildWith } from '../../helpers/app.js'
import { change, databaseOf, seededUrl } from '../../helpers/database.js'
import { content, film } from '../../helpers/documents.js'
import { until } from '../../helpers/until.js'
import { viewerOf, watch } from '../../helpers/viewer.js'
import { anybody, counted, crowdOf, firstOfCrowd, idsFor, interest, learnerOf, recommendedTo, span, trainOn, views } from '../helper.js'

// Viewers of one of 1 to 6 watch the others, and so do those of 11 to 16.
const contents = [...span(1, 6), ...span(11, 16), ...span(21, 25)].map(id => film(id))
const crowd = [...crowdOf(span(1, 6), 2, firstOfCrowd), ...crowdOf(span(11, 16), 1, firstOfCrowd + 100)]
const completed = { time: 3000, percentage: 95 }
const reasonsFor = async (viewer: Parameters<typeof recommendedTo>[0]) => [
  ...new Set((await recommendedTo(viewer)).map(({ reason }) => reason.type))
]
const chunksOf = (app: App) => databaseOf(app).collection<{ _id: { model: ObjectId; n: number }; bytes: Binary }>('model_chunks')
const modelsOf = (app: App) => databaseOf(app).collection<ModelDocument>('models')

t.test('a model that another process has trained is taken up', async t => {
  const app = await buildWith(t, { contents })
  await views(app, crowd)
  const viewer = await viewerOf(app)
  await watch(viewer, 11, completed)
  const { learning, failures } = learnerOf(app)
  await learning.refreshModel()
  t.strictSame(await reasonsFor(viewer), ['popular'], 'there is no model yet')

  const { client, db } = connectionTo(app.settings.MONGO_URL)
  t.teardown(() => client.close())
  const elsewhere = dataOf(db, app.settings)
  await trainModel(elsewhere, interest)
  await learning.refreshModel()
  t.strictSame((await idsFor(viewer)).slice(0, 5).sort(), span(12, 16))
  t.match((await recommendedTo(viewer))[0]?.reason, { type: 'watched', content_id: 11, name: 'Content 11' })

  // From now on, viewers of 11 watch 1 to 5.
  await databaseOf(app)
    .collection('history')
    .deleteMany({ user_id: { $gte: firstOfCrowd } })
  await views(app, crowdOf([11, ...span(1, 5)], 3, firstOfCrowd))
  await trainModel(elsewhere, interest)
  t.strictSame((await idsFor(viewer)).slice(0, 5).sort(), span(12, 16), 'until the next check')
  await learning.refreshModel()
  t.strictSame((await idsFor(viewer)).slice(0, 5).sort(), span(1, 5))
  t.strictSame(failures, [])
})

t.test('a model that cannot be used', async t => {
  const app = await buildWith(t, { contents })
  await views(app, crowd)
  await trainOn(app)
  const viewer = await viewerOf(app)
  await watch(viewer, 11, completed)
  // Counted now, so that a later count by the app changes nothing.
  await counted(app)
  const { learning, failures } = learnerOf(app)
  await learning.refreshModel()
  const before = (await viewer.get('/recommendations')).body
  t.match(before, '"watched"')

  const save = async (bytes: Uint8Array, format = modelFormat) =>
    app.data.recommendationModels.save({ format, elements: 1, summary: {} }, bytes)
  const good = packed({
    ids: Float64Array.of(1, 2),
    watchedCount: 2,
    shares: [{ share: 1, halfLife: 2 }],
    views: Float32Array.of(1, 1),
    freshness: Float32Array.of(1, 1),
    recent: new Float32Array(8),
    weights: new Float64Array(0),
    links: {
      starts: Uint32Array.of(0, 1, 2),
      targets: Uint32Array.of(1, 0),
      tables: 1,
      weights: Float32Array.of(1, 1)
    }
  })
  /** The app looks for models by itself. So this one is saved in a format that the app ignores until it is spoilt. */
  const saveSpoilt = async (spoil: (first: { _id: { model: ObjectId; n: number } }) => Promise<unknown>) => {
    const model = await save(good, modelFormat + 2)
    await spoil({ _id: { model, n: 0 } })
    await modelsOf(app).updateOne({ _id: model }, { $set: { format: modelFormat } })
  }
  const kinds: Record<string, () => Promise<unknown>> = {
    'is empty': () => save(new Uint8Array(0)),
    'is cut': () => save(good.subarray(0, good.length - 1)),
    'is noise': () => save(new Uint8Array(100_000).fill(0x41)),
    'is too large': async () => {
      const _id = await save(good, modelFormat + 2)
      await modelsOf(app).updateOne({ _id }, { $set: { format: modelFormat, size: largestModel + 1 } })
    },
    'lacks its chunks': () => saveSpoilt(first => chunksOf(app).deleteOne(first)),
    'has a chunk that is too short': () =>
      saveSpoilt(first => chunksOf(app).updateOne(first, { $set: { bytes: new Binary(good.subarray(0, 8)) } })),
    'has a chunk that is too long': () =>
      saveSpoilt(first => chunksOf(app).updateOne(first, { $set: { bytes: new Binary(new Uint8Array(1000)) } }))
  }
  for (const [what, spoil] of Object.entries(kinds))
    t.test(`and ${what}: the one before stays`, async t => {
      failures.length = 0
      await spoil()
      for (const look of ['first', 'second']) {
        await learning.refreshModel()
        t.equal((await viewer.get('/recommendations')).body, before, `after check ${look}`)
      }
      t.equal(failures.length, 1, 'the failure is reported once')
      t.match(failures, [/keeping the previous one/])
      const late = await build(t, { url: app.settings.MONGO_URL })
      t.strictSame(
        await reasonsFor({ get: url => late.inject({ url, headers: viewer.headers }) }),
        ['popular'],
        'a process that starts now serves without a model'
      )
    })

  t.test('and is of another format: the one before stays', async t => {
    failures.length = 0
    await save(new Uint8Array(50), modelFormat + 1)
    await learning.refreshModel()
    t.equal((await viewer.get('/recommendations')).body, before)
    t.strictSame(failures, [])
  })

  t.test('and has a nonsensical size: the service starts and says so', async t => {
    await save(good)
    await modelsOf(app).updateMany({}, { $set: { size: -1 } })
    const log: string[] = []
    const late = await build(t, { url: app.settings.MONGO_URL, log })
    t.equal((await anybody(late).get('/recommendations')).statusCode, 200)
    t.ok(log.some(line => /could not be read/.test(line)))
  })

  t.test('and was not finished: it is as if it were not there', async t => {
    await trainOn(app)
    await learning.refreshModel()
    const whole = (await viewer.get('/recommendations')).body
    failures.length = 0
    const unfinished = new ObjectId()
    await chunksOf(app).insertOne({ _id: { model: unfinished, n: 0 }, bytes: new Binary(good) })
    await learning.refreshModel()
    t.equal((await viewer.get('/recommendations')).body, whole)
    t.strictSame(failures, [])
    await trainOn(app)
    t.notOk(await chunksOf(app).findOne({ '_id.model': unfinished }), 'the next training removes the unfinished model')
  })

  t.test('and then there is a good one', async t => {
    await learning.refreshModel()
    t.strictSame((await idsFor(viewer)).slice(0, 5).sort(), span(12, 16))
  })
})

t.test('titles of a model that have changed since it was trained', async t => {
  const app = await buildWith(t, { contents: [...contents, content(30)] })
  await views(app, crowd)
  await trainOn(app)
  await learnerOf(app).learning.refreshModel()
  const viewer = await viewerOf(app)
  await watch(viewer, 11, completed)
  await change(app, 'contents', 12, { deleted_at: new Date() })
  await change(app, 'contents', 13, { parent_id: 30 })
  await change(app, 'contents', 14, { end_date: new Date(1e12) })
  await databaseOf(app).collection<{ _id: number }>('contents').deleteOne({ _id: 15 })
  await until(
    () => app.catalogue.skeleton.parent.get(app.catalogue.skeleton.row(13) as number) === 30 && !app.catalogue.isAvailable(14, everybody)
  )
  const fresh = await build(t, { url: app.settings.MONGO_URL })
  const shown = await recommendedTo({ get: url => fresh.inject({ url, headers: viewer.headers }) })
  t.strictSame(
    shown.filter(({ id }) => id > 10 && id < 17).map(({ id }) => id),
    [16],
    'only the open title is left: not deleted, no episode, not ended, not missing'
  )
  t.equal(shown[0]?.id, 16)
  t.ok(shown.some(({ id }) => id === 30))
  // The watched title may have become something else, too.
  await change(fresh, 'contents', 11, { parent_id: 30 })
  await until(
    async () => !(await recommendedTo({ get: url => fresh.inject({ url, headers: viewer.headers }) })).some(({ id }) => id === 30)
  )

  for (const { _id: id } of contents) if (id !== 15) await change(fresh, 'contents', id, { deleted_at: new Date() })
  await until(async () => (await idsFor(anybody(fresh))).join() === '30')
  t.strictSame(await idsFor({ get: url => fresh.inject({ url, headers: viewer.headers }) }), [], 'the model knows only deleted titles')
})

t.test('training', async t => {
  const app = await buildWith(t, { contents })
  const { data } = app
  /** Does once what a process does every 10 seconds. */
  const look = async (given: Parameters<typeof learnerOf>[1] = {}, leases = data.leases) => {
    let done = () => {}
    const asked = new Promise<void>(resolve => {
      done = resolve
    })
    const learner = learnerOf(app, {
      train: async () => trainOn(app),
      // This read is the last thing that the decision to train needs.
      data: {
        ...data,
        leases,
        allHistories: { ...data.allHistories, estimatedSize: () => data.allHistories.estimatedSize().finally(() => setImmediate(done)) }
      },
      ...given
    })
    const stop = new AbortController()
    const following = learner.learning.follow(stop.signal)
    await asked
    stop.abort()
    await following
    return learner
  }

  t.test('waits for the first element of history', async t => {
    t.strictSame((await look()).trainings, [])
    await views(app, [{ user_id: 1, content_id: 1 }])
    t.equal((await look()).trainings.length, 1)
    t.strictSame((await look()).trainings, [], 'it is not repeated without need')
  })

  t.test('is done anew when there are enough new elements', async t => {
    await views(
      app,
      span(2, 10).map(user_id => ({ user_id, content_id: 1 }))
    )
    t.equal((await look()).trainings.length, 1, '10 elements instead of 1')
    await views(app, [
      { user_id: 11, content_id: 1 },
      { user_id: 12, content_id: 1 }
    ])
    t.strictSame((await look()).trainings, [], 'exactly 20 % more')
    await views(app, [{ user_id: 13, content_id: 1 }])
    t.equal((await look()).trainings.length, 1, 'more than 20 % more')
  })

  t.test('is done anew after a while', async t => {
    const trainEvery = 3_600_000
    t.strictSame((await look({ trainEvery })).trainings, [])
    await modelsOf(app).updateMany({}, { $set: { trained_at: new Date(Date.now() - trainEvery - 1) } })
    t.equal((await look({ trainEvery })).trainings.length, 1)
  })

  t.test('is done by one process, and not if another one has just finished', async t => {
    await modelsOf(app).deleteMany()
    const two = await Promise.all([look(), look(), look(), look()])
    t.equal(two.flatMap(({ trainings }) => trainings).length, 1)
    t.strictSame(
      two.flatMap(({ failures }) => failures),
      []
    )

    await modelsOf(app).deleteMany()
    const leases = {
      ...data.leases,
      withLease: async <T>(name: string, work: (lease: TakenLease) => Promise<T>) => {
        if (name === 'training') await trainOn(app)
        return data.leases.withLease(name, work)
      }
    }
    t.strictSame((await look({}, leases)).trainings, [], 'another process trained while this one asked for the lease')
    await modelsOf(app).deleteMany()
    await data.leases.withLease('training', async () => t.strictSame((await look()).trainings, [], 'another process is training'))
    t.equal((await look()).trainings.length, 1)
  })

  t.test('that fails is reported, and not tried again at once', async t => {
    await modelsOf(app).deleteMany()
    let tried = 0
    const learner = learnerOf(app, {
      train: async () => {
        tried++
        throw new Error('It is too much')
      }
    })
    for (let i = 0; i < 2; i++) {
      const stop = new AbortController()
      const following = learner.learning.follow(stop.signal)
      await until(() => tried > 0)
      await new Promise(resolve => setTimeout(resolve, i * 200))
      stop.abort()
      await following
    }
    t.equal(tried, 1)
    t.strictSame(learner.failures, ['the recommendation model could not be trained, keeping the previous one: It is too much'])
    t.equal(await databaseOf(app).collection('leases').countDocuments(), 0, 'the lease is free')
  })
})

t.test('an unavailable database is reported, and does not end the loop', async t => {
  const app = await buildWith(t, { contents })
  const { client, db } = connectionTo(app.settings.MONGO_URL)
  await client.connect()
  await client.close()
  const { learning, failures } = learnerOf(app, { data: dataOf(db, app.settings), train: async () => trainOn(app) })
  const stop = new AbortController()
  const following = learning.follow(stop.signal)
  await until(() => failures.length === 3, { within: 20_000 })
  stop.abort()
  await following
  t.match(failures.sort(), [
    /^the popular titles could not be counted/,
    /^the recommendation model could not be read/,
    /^the recommendation model could not be trained/
  ])
})

t.test('stopping does not wait for answers of the database', async t => {
  const app = await buildWith(t, { contents })
  // The app counts at its start, and what has just been counted is not counted again.
  await until(async () => (await app.data.popularity.counted()) !== undefined)
  await databaseOf(app).collection('popularity').deleteMany()
  let giveUp: (() => void) | undefined
  const next = () =>
    new Promise<never>((_resolve, reject) => {
      giveUp = () => reject(new Error('The client is closed'))
    })
  const views = () => ({ [Symbol.asyncIterator]: () => ({ next }) }) as never
  const { learning } = learnerOf(app, { data: { ...app.data, allHistories: { ...app.data.allHistories, views } } })
  const stop = new AbortController()
  const following = learning.follow(stop.signal)
  await until(() => giveUp !== undefined)
  stop.abort()
  await following
  t.pass('the training ended')
  giveUp?.()
})

t.test('a model that is there when a process starts is in use with its first request', async t => {
  const url = await seededUrl(t, { contents })
  const app = await build(t, { url })
  await views(app, crowd)
  await trainOn(app)
  const late = await build(t, { url })
  const viewer = await viewerOf(late)
  await watch(viewer, 11, completed)
  t.match((await recommendedTo(viewer))[0]?.reason, { type: 'watched' })
})
