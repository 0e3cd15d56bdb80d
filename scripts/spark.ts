import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings, Settings } from '../src/config.js'
import { allHistoriesOf } from '../src/data/all-histories.js'
import { contentsOf } from '../src/data/contents.js'
import { connectionTo } from '../src/data/driver/connection.js'
import { recommendationModelsOf } from '../src/data/recommendation-models.js'
import { trainInChildProcess } from '../src/recommendations/learning/start-training.js'
import { modelFormat, unpacked } from '../src/recommendations/stored-model.js'
import { startMongod } from './mongod/start.js'
import { fill } from './spark/database.js'
import { runJob } from './spark/job.js'
import { isAsGood, qualityOf, splitOff } from './spark/quality.js'
import { type Shape, viewersOf } from './spark/viewers.js'
import { writeEvents } from './train/events-out.js'
import { storeModel } from './train/model-in.js'

const kinds: Record<string, Shape> = {
  'films, many views': { viewers: 3000, titles: 1500, views: 50, group: 40 },
  'places, few views': { viewers: 15_000, titles: 8000, views: 9, group: 80 }
}

const say = (line: string) => process.stderr.write(`${line}\n`)
const signal = new AbortController().signal

/** Trains in the service's own way and on Spark, from files and from the database. Returns the quality of each model. */
const qualitiesOf = async (url: string, shape: Shape, folder: string) => {
  const { COMPLETED_AT, INTEREST_FROM, TRAIN_MEMORY_MB } = readSettings(Settings, { MONGO_URL: url, JWT_SECRET: 'x'.repeat(32) })
  const interest = { completedAt: COMPLETED_AT, interestFrom: INTEREST_FROM }
  const { training, last } = splitOff([...viewersOf(shape)].map(history => history.map(title => title + 1)))
  const { client, db } = connectionTo(url)
  const data = { allHistories: allHistoriesOf(db), contents: contentsOf(db), recommendationModels: recommendationModelsOf(db) }
  const stored = async () => {
    const latest = await data.recommendationModels.latest(modelFormat)
    const bytes = latest && (await data.recommendationModels.bytes(latest))
    if (!bytes) throw new Error('There is no model')
    return qualityOf(unpacked(bytes), training, last, shape.titles)
  }
  const fromSpark = async (name: string, ...source: string[]) => {
    const file = join(folder, `${name}.model`)
    await runJob([...source, '--model', file], folder, say, { MONGO_URL: url })
    await storeModel(file, data)
    return stored()
  }

  try {
    await fill(db, shape.titles, training)
    await trainInChildProcess({ url, interest, memoryMb: TRAIN_MEMORY_MB, signal })
    const service = await stored()
    const events = join(folder, 'events')
    await writeEvents(events, { data, interest, signal, onProgress: () => undefined })
    const files = await fromSpark('files', '--histories', events)
    const database = await fromSpark('database', '--mongodb', '--settings', join(events, 'settings.json'))
    return { service, 'Spark from files': files, 'Spark from MongoDB': database }
  } finally {
    await client.close()
  }
}

// Child processes and mongod end with this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const mongod = await startMongod({ say })
const folder = await mkdtemp(join(tmpdir(), 'viewer-spark-'))
try {
  for (const [n, [kind, shape]] of Object.entries(kinds).entries()) {
    const temporary = await mkdtemp(join(folder, 'kind-'))
    const measured = await qualitiesOf(`${mongod.url}/kind-${n}`, shape, temporary)
    for (const [name, quality] of Object.entries(measured)) {
      const verdict = isAsGood(quality, measured.service) ? '' : '  FAILED'
      console.log(`${kind}  ${name.padEnd(20)} HR@10 ${quality.hits.toFixed(4)}  nDCG@10 ${quality.ndcg.toFixed(4)}${verdict}`)
      if (verdict) process.exitCode = 1
    }
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
  await mongod.stop()
}
