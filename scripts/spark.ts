import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, ObjectId } from 'mongodb'
import { contentsOf } from '../src/catalogue/content-documents.js'
import { readSettings, Settings } from '../src/config.js'
import { connectionTo } from '../src/database/connection.js'
import { allHistoriesOf } from '../src/recommendations/learning/all-histories.js'
import { trainInChildProcess } from '../src/recommendations/learning/start-training.js'
import { recommendationModelsOf } from '../src/recommendations/model-documents.js'
import { modelFormat, unpacked } from '../src/recommendations/stored-model.js'
import { days } from '../src/time.js'
import { type HistoryDocument, historyIndexes } from '../src/viewing/history.js'
import { contentOf } from './bench/data/catalogue.js'
import { generate, insert } from './bench/data/generate.js'
import { orFail, say } from './command-line.js'
import { startMongod } from './mongod/start.js'
import { exitOnSignal } from './processes.js'
import { isAsGood, qualityOf, runJob, splitOff } from './spark/trial.js'
import { type Shape, viewersOf } from './spark/viewers.js'
import { writeEvents } from './train/exchange.js'
import { storeModel } from './train/foreign-model.js'

const kinds: Record<string, Shape> = {
  'films, many views': { viewers: 3000, titles: 1500, views: 50, group: 40 },
  'places, few views': { viewers: 15_000, titles: 8000, views: 9, group: 80 }
}

const signal = new AbortController().signal

/** One title in ten is a show whose viewers have watched its only episode. */
const showEvery = 10
const aFilm = 26

/** Episodes have ids above those of the titles. */
const watchedOf = (title: number, titles: number) => (title % showEvery === 0 ? title + titles : title)

const firstView = Date.UTC(2026, 0, 1)

/** In turn: watched to the end, restarted after that, and restarted in the middle. */
const positions = [
  { time: 3000, percentage: 95, plays: 1 },
  { time: 0, percentage: 0, plays: 1 },
  { time: 40, percentage: 1, previous_time: 2500, previous_percentage: 80 }
]

function* elementsOf(histories: Iterable<number[]>, titles: number): Generator<HistoryDocument> {
  let user_id = 0
  for (const history of histories) {
    user_id++
    for (const [place, title] of history.entries()) {
      const at = new Date(firstView + place * days(1))
      const content_id = watchedOf(title, titles)
      const position = positions[place % positions.length] as (typeof positions)[number]
      yield { _id: new ObjectId(), user_id, content_id, created_at: at, updated_at: at, ...position }
    }
  }
}

/** Fills an empty database with titles, whose ids start at 1, and histories. */
const fill = async (db: Db, titles: number, histories: Iterable<number[]>) => {
  const film = contentOf(aFilm, titles, [''])
  await insert(
    db,
    'contents',
    generate(titles, _id => ({ ...film, _id }))
  )
  const episodes = generate(Math.floor(titles / showEvery), n => ({
    ...film,
    _id: n * showEvery + titles,
    parent_id: n * showEvery,
    type: 'episode'
  }))
  await insert(db, 'contents', episodes)
  await insert(db, 'history', elementsOf(histories, titles))
  await db.collection('history').createIndexes(historyIndexes)
}

/** Trains with the service and on Spark, from files and from the database. Returns the quality of each model. */
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
    await runJob([...source, '--model', file], folder, { MONGO_URL: url })
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

exitOnSignal()

await orFail(async () => {
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
  } finally {
    await rm(folder, { recursive: true, force: true })
    await mongod.stop()
  }
})
