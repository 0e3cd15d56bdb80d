import { type Static, Type } from '@sinclair/typebox'
import { CommandSettings, readSettings, Settings } from '../src/config.js'
import { allHistoriesOf } from '../src/data/all-histories.js'
import { contentsOf } from '../src/data/contents.js'
import { connectionTo } from '../src/data/driver/connection.js'
import { leasesOf } from '../src/data/leases.js'
import { recommendationModelsOf } from '../src/data/recommendation-models.js'
import { trainInChildProcess, trainingLease } from '../src/recommendations/learning/start-training.js'
import type { Trained, TrainingProgress } from '../src/recommendations/learning/training.js'
import { messageOf, stopOnSignal } from './command-line.js'
import { progressTo } from './progress.js'
import { readArguments, writeEvents } from './train/exchange.js'
import { storeModel } from './train/foreign-model.js'

const TrainSettings = Type.Object({
  ...CommandSettings.properties,
  ...Type.Pick(Settings, ['COMPLETED_AT', 'INTEREST_FROM', 'TRAIN_MEMORY_MB']).properties
})
type TrainSettings = Static<typeof TrainSettings>

const run = async () => {
  const { eventsOut, modelIn } = readArguments(process.argv.slice(2))
  const { MONGO_URL: url, COMPLETED_AT, INTEREST_FROM, TRAIN_MEMORY_MB }: TrainSettings = readSettings(TrainSettings)
  const interest = { completedAt: COMPLETED_AT, interestFrom: INTEREST_FROM }
  const { client, db } = connectionTo(url, { serverSelectionTimeoutMS: 5000 })
  const data = { allHistories: allHistoriesOf(db), contents: contentsOf(db), recommendationModels: recommendationModelsOf(db) }
  const signal = stopOnSignal()
  const bar = progressTo(process.stderr)
  const show = (file: string) => (progress: TrainingProgress) => bar.update({ ...progress, file, records: progress.done })
  try {
    if (eventsOut !== undefined) return await writeEvents(eventsOut, { data, interest, signal, onProgress: show(eventsOut) })
    const made = await leasesOf(db).withLease<Trained | Record<string, unknown>>(trainingLease, ({ holder, confirm }) =>
      modelIn !== undefined
        ? storeModel(modelIn, data, confirm)
        : trainInChildProcess({ url, interest, memoryMb: TRAIN_MEMORY_MB, holder, signal, onProgress: show('the model') })
    )
    if (!made) throw new Error('Another process is already training.')
    return made
  } finally {
    await client.close()
  }
}

try {
  console.log(JSON.stringify(await run()))
} catch (error) {
  console.error(messageOf(error))
  process.exitCode ||= 1
}
